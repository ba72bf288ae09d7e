"""From files to score matrices and targets."""
