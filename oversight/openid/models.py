"""Who somebody is elsewhere."""

from django.conf import settings
from django.db import models


class Identity(models.Model):
    """A person's name at an identity provider, by which they may sign in; linked by themselves."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    issuer = models.TextField()
    subject = models.TextField()
    linked_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "oversight"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_of_one_person"),
            models.UniqueConstraint(fields=["person", "issuer"], name="person_of_one_identity"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
