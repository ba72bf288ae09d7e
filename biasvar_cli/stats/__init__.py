"""Statistics that know no run: correlations, resampling, Monte Carlo tests, variances, trends."""
