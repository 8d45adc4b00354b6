"""Tables of records: reading and writing them, roles, and datasets: what there is and where it comes from."""
