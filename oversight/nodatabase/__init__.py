"""The database backend in use while no database is named."""
