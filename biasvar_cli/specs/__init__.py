"""What arguments may be: ranges of numbers, levels, targets and baselines, and what requests share."""
