"""The pages of the documentation site that are written from what methods, measures and the project declare."""
