"""The results as a table for people."""

from collections.abc import Iterator, Sequence

from .result import Result

TICK, CROSS = "✓", "✗"


def table(results: Sequence[Result]) -> Iterator[str]:
    """Lines: one a result, then what failed, then what it comes to."""
    width = max((len(result.name) for result in results), default=0)
    yield f"  {'scenario':{width}}  {'effects':>7}  {'expected':>8}  outcome"
    for result in results:
        yield _row(result, width)
    yield ""
    yield from _failed(results)
    yield _closing(results)


def _row(result: Result, width: int) -> str:
    sign = TICK if result.passed else CROSS
    counts = f"{result.target_effects:>7}  {result.expected:>8}"
    return f"{sign} {result.name:{width}}  {counts}  {result.outcome}{_pids(result)}"


def _pids(result: Result) -> str:
    if not result.pids:
        return ""
    return f" (killed {result.pids['killed']}, successor {result.pids['successor']})"


def _failed(results: Sequence[Result]) -> Iterator[str]:
    for result in results:
        for what, held in result.checks.items():
            if not held:
                yield f"{CROSS} {result.name}: not so: {what}"


def _closing(results: Sequence[Result]) -> str:
    passed = sum(result.passed for result in results)
    if passed == len(results):
        return f"All {passed} scenarios went as they must; effects as the ledger counted them."
    return f"{len(results) - passed} of {len(results)} scenarios did not go as they must."
