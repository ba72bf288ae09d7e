"""Options that commands share: each is declared once, and a group of them reaches the command as one value."""
