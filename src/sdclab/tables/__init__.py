"""From result rows to the printed table."""
