"""From a study's config to cells and what they measured; and how their results are vouched for."""
