"""Ready-made actions to build on: one module for each kind of target."""
