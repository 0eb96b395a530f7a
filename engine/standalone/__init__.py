"""Programs that travel with an export and need nothing of Placet."""
