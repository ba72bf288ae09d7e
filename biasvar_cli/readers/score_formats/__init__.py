"""Files of scores: a module for each format, what they share, and the list by which they are recognised."""
