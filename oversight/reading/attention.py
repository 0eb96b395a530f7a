"""What needs a person now, as the numbers in the frame of every page."""

from engine.models import Alert, Effect, Stop


def unknown_effects() -> int:
    """Effects of which nobody can tell whether they happened."""
    return Effect.objects.filter(status="unknown").count()


def open_alerts() -> int:
    """Alerts that nobody answers for yet."""
    return Alert.objects.filter(status="open").count()


def stops_in_force() -> int:
    return Stop.objects.filter(lifted_at=None).count()
