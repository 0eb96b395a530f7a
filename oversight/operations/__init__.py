"""What machines ask of a running Placet: does it live, is it ready, how is it doing."""
