"""What is asked of the scores of a track; each module takes scores and a target and returns a frozen result."""
