"""From a table to a figure."""
