"""Second factors of people: showing one, and having one."""
