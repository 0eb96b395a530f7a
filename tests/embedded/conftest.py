from tests.embedded.fixtures import running_servers

__all__ = ["running_servers"]
