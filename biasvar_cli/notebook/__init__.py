"""What the functions for notebooks share: scores from files, DataFrames and dicts, checks of arguments, results."""
