"""How often somebody could not show their second factor."""

from django.conf import settings
from django.db import models


class FactorTries(models.Model):
    """Wrong codes of one person in a row, since the first of them; see `tries`."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    failed = models.PositiveSmallIntegerField(default=0)
    since = models.DateTimeField()

    class Meta:
        app_label = "oversight"

    def __str__(self) -> str:
        return f"{self.failed} of {self.person_id} since {self.since}"
