"""`make bench`: Placet beside its peers and beside the floor, on one server, in one run."""
