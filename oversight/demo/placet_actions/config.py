"""The shop's configuration files."""

from engine.actions import register
from engine.kit.file import FileRestore, FileWrite, restored_by


@register
class RestoreConfig(FileRestore):
    """Put a configuration file back to what it held before."""

    name = "shop.restore_config"
    title = "Put a configuration file back"
    root = "shop"
    call_seconds = 3.0
    verify_seconds = 30.0


@register
class WriteConfig(FileWrite):
    """Write a configuration file of the shop anew, as a whole."""

    name = "shop.write_config"
    title = "Change a configuration file"
    risk = "medium"
    root = "shop"
    call_seconds = 3.0
    verify_seconds = 30.0
    rehearsed_on = "rehearsal.txt"
    rollback = restored_by(RestoreConfig)
