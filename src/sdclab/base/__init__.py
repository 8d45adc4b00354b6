"""What every room stands on: errors in one sentence, whole files, checked documents, functions found by name."""
