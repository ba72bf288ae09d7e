"""What the tests of the page need beside pytest."""
