"""Worlds that change, workers that die: what Placet does then, played for real and counted.

Servers, workers, crashes and the ledger are real; whatever happened there is counted in the
ledger's own table of movements, never in what anybody says of it.
"""
