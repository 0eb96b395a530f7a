"""The overview: what needs a person now, and how the installation is doing."""
