"""What notebooks call; ``import biasvar_cli`` hands these names on, and loads them when they are first used."""
