"""Every statement and expression of a PL/pgSQL function, each as SQL that can be planned alone.

PL/pgSQL looks at a statement when it first comes to it; a test wants to know of all of them. So a
function's body is cut into its statements, its variables are replaced by NULLs of their types,
and what is left is plain SQL. It understands the plain style in which the doors are written (IF,
FOR … IN, RETURN, PERFORM, assignments, SELECT … INTO), and refuses what it does not understand.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

IGNORED = ("RAISE", "END", "NULL", "")
LOOP = re.compile(r"^\w+\s+IN\s+(SELECT\b.+?)\s+LOOP\b(.*)$", re.S)
TARGETS = re.compile(r"\bINTO\s+(?:STRICT\s+)?(?!engine_)\w+(?:\s*,\s*\w+)*", re.I)
ASSIGNMENT = re.compile(r"^(\w+)(\.\w+)?\s*:=\s*(.+)$", re.S)
DECLARED = re.compile(r"^(\w+)\s+([\w.\[\]() ]+?)(?:\s*:=\s*(.+))?$", re.S)
STRING = re.compile(r"('(?:[^']|'')*')")


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """As the catalogue knows it: `variables` are its arguments' names and types."""

    name: str
    body: str
    variables: Mapping[str, str]


def plannable(function: Function) -> Iterator[str]:
    """SQL for each statement and expression, in the order of the body."""
    declarations, code = _parts(_without_comments(function.body))
    variables = {**function.variables, "FOUND": "boolean"}
    for declaration in _split(declarations):
        found = DECLARED.match(declaration)
        assert found, f"{function.name} declares something odd: {declaration}"
        name, kind, first = found.groups()
        if first:
            yield _typed(f"SELECT {first}", variables)
        variables[name] = kind
    for statement in _split(code):
        for one in _unfolded(statement):
            yield _typed(one, variables)


def _without_comments(body: str) -> str:
    return re.sub(r"--[^\n]*|^\s*#variable_conflict [^\n]*", "", body)


def _parts(body: str) -> tuple[str, str]:
    declare = re.match(r"\s*DECLARE\b(.*?)\bBEGIN\b(.*)$", body, re.S)
    if declare:
        return declare[1], declare[2]
    code = re.match(r"\s*BEGIN\b(.*)$", body, re.S)
    assert code, f"neither DECLARE nor BEGIN: {body[:80]}"
    return "", code[1]


def _split(code: str) -> Iterator[str]:
    """At the semicolons that stand outside of strings."""
    pieces = STRING.split(code)
    marked = "".join(piece.replace(";", "\0") if n % 2 == 0 else piece
                     for n, piece in enumerate(pieces))  # fmt: skip
    for statement in marked.split("\0"):
        if statement.strip():
            yield statement.strip()


def _unfolded(statement: str) -> Iterator[str]:
    """A statement without its control words; a condition becomes one of its own."""
    word = statement.split(None, 1)[0].upper() if statement else ""
    rest = statement[len(word) :].strip()
    if word in IGNORED:
        return
    if word in ("IF", "ELSIF", "FOR"):
        head, inner = _headed(word, rest)
        yield head
        yield from _unfolded(inner.strip())
    elif word in ("ELSE", "BEGIN"):
        yield from _unfolded(rest)
    elif word == "RETURN":
        yield from _returned(rest)
    elif word == "PERFORM":
        yield f"SELECT {rest}"
    elif assigned := ASSIGNMENT.match(statement):
        name, field, value = assigned.groups()
        yield f"SELECT {name}{field or ''}, {value}"
    else:
        assert word in ("SELECT", "INSERT", "UPDATE"), f"cannot read: {statement}"
        yield TARGETS.sub("", statement)


def _returned(rest: str) -> Iterator[str]:
    if rest.startswith("QUERY"):
        yield rest.removeprefix("QUERY").strip()
    elif rest:
        yield f"SELECT {rest}"


def _headed(word: str, rest: str) -> tuple[str, str]:
    """What a condition or a loop asks, and the first statement inside it."""
    if word == "FOR":
        looped = LOOP.match(rest)
        assert looped, f"cannot read the loop: {rest}"
        return looped[1], looped[2]
    condition, _, inner = _parted_at_then(rest)
    return f"SELECT {condition}", inner


def _parted_at_then(text: str) -> tuple[str, str, str]:
    """At the THEN that belongs to the IF, not to a CASE inside its condition."""
    depth = 0
    for found in re.finditer(r"\b(CASE|END|THEN)\b", text):
        if found[0] == "CASE":
            depth += 1
        elif found[0] == "END":
            depth -= 1
        elif depth == 0:
            return text[: found.start()], found[0], text[found.end() :]
    raise AssertionError(f"IF without THEN: {text}")


def _typed(statement: str, variables: Mapping[str, str]) -> str:
    """Variables become NULLs of their types, outside of strings, unless a table is called so."""
    pieces = STRING.split(statement)
    for name, kind in variables.items():
        if re.search(rf"\b(?:FROM|JOIN|UPDATE|,)\s+\w+(?:\.\w+)?\s+{name}\b", statement):
            continue
        wanted = re.compile(rf"(?<![\w.]){name}(?!\w|\s*\()")
        pieces = [
            wanted.sub(f"(NULL::{kind})", piece) if n % 2 == 0 else piece
            for n, piece in enumerate(pieces)
        ]
    return "".join(pieces)
