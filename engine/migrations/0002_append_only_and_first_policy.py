"""The append-only trigger, and the policy that holds until somebody writes another."""

from datetime import UTC, datetime

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from engine import policies
from engine.store.doors import APPEND_ONLY

FIRST_RULES = [{"action": "*", "groups": [{"name": "reviewer", "approve": 1}]}]


def first_policy(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    now = datetime.now(UTC)
    apps.get_model("engine", "Policy").objects.create(
        version=1,
        rules=policies.checked(FIRST_RULES),
        status="in_force",
        reason="One reviewer who did not start it decides.",
        proposed_by_name="Placet",
        proposed_at=now,
        in_force_by_name="Placet",
        in_force_at=now,
    )
    apps.get_model("auth", "Group").objects.get_or_create(name="reviewer")


class Migration(migrations.Migration):
    dependencies = [
        ("engine", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [
        migrations.RunSQL(APPEND_ONLY.read_text(), migrations.RunSQL.noop),
        migrations.RunPython(first_policy, migrations.RunPython.noop),
    ]
