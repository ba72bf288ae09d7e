"""Estimation bias-variance of query models: how far their distributions of terms are from the true one."""
