"""CHECKs made from the tables in `states.py`, so that the database holds them too."""

from collections.abc import Iterable

from django.db.models import BooleanField, CheckConstraint, F, Func


class OneOf(Func):
    """`field = ANY (values)`, the values as one constant.

    PostgreSQL reads a CHECK from its stored text at every statement: that of an IN, where each
    value stands for itself, takes longer than the rest of a small UPDATE.
    """

    template = "%(expressions)s = ANY ('{%(values)s}'::text[])"
    output_field = BooleanField()

    def __init__(self, field: str, values: Iterable[str]) -> None:
        super().__init__(F(field), values=",".join(values))


def one_of(name: str, field: str, values: Iterable[str]) -> CheckConstraint:
    """The field is one of these, or NULL where the column may be."""
    return CheckConstraint(name=name, condition=OneOf(field, sorted(values)))
