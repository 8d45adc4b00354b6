"""What speaks for a result: published numbers with ours beside them, verdicts, audit, sensitivity, multiverses."""
