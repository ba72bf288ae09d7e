"""Null models: simulated tracks whose runs differ in nothing but their means."""
