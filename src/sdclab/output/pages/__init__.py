"""The report: pages that open offline by a double click, made from what a run left behind.

A page holds aggregates only, never a record nor a value of one.
"""
