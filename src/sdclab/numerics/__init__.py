"""Arrays, linear algebra, logistic models, random streams, ties: mathematics that knows nothing of disclosure."""
