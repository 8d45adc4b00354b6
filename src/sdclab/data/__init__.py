"""Datasets: what there is (manifest), where it comes from (retrieval), how it becomes a table (preparation)."""
