"""The only code that opens input."""
