"""An installed app with the workflows and actions that are measured."""
