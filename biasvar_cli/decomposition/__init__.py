"""The algebra of the papers: bias, variance and total error of runs against a virtual target."""
