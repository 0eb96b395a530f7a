"""The agents' API: HTTP under /api/v1/ for whoever proposes, never for whoever decides."""
