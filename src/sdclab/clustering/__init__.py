"""Clustering kernels that methods and measures share."""
