"""What a table is, how it becomes text or data, and the words that the tables of several analyses have."""
