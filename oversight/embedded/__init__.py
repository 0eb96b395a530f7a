"""PostgreSQL and Valkey from Python wheels, and child processes that never outlive their parent.

with servers(Path(".placet")) as running:
    running.create_database("example")
    running.database_url("example"), running.broker_url
"""

from .folders import AlreadyRunning
from .postgres import PostgresFailed
from .processes import Child, ChildEnded
from .servers import Servers, servers

__all__ = ["AlreadyRunning", "Child", "ChildEnded", "PostgresFailed", "Servers", "servers"]
