"""Bias-variance evaluation of retrieval runs."""

__version__ = "0.1.0"
