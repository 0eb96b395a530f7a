"""The results as a table for people."""

from collections.abc import Iterator, Sequence

from oversight.demo.scenarios.report import CROSS, TICK
from oversight.demo.scenarios.result import Result


def table(results: Sequence[Result]) -> Iterator[str]:
    """Lines: one a kill, then what failed, then what it comes to."""
    yield f"  {'killed at':20}  {'effects':>7}  {'expected':>8}  {'seconds':>7}  what held"
    for result in results:
        yield _row(result)
    yield ""
    for result in results:
        for what, held in result.checks.items():
            if not held:
                yield f"{CROSS} {result.name}: not so: {what}"
    yield _closing(results)


def _row(result: Result) -> str:
    sign = TICK if result.passed else CROSS
    counts = f"{result.target_effects:>7}  {result.expected:>8}"
    seconds = "-" if result.seconds is None else f"{result.seconds:.1f}"
    return f"{sign} {result.name:20}  {counts}  {seconds:>7}  {result.outcome}"


def _closing(results: Sequence[Result]) -> str:
    passed = sum(result.passed for result in results)
    went = f"{passed} of {len(results)} went as they must: nothing lost, nothing done twice"
    return f"{went}; effects as the ledger counted them."
