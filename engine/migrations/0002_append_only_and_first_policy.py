"""The append-only trigger, and the policy that holds until somebody writes another."""

from datetime import UTC, datetime

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from engine.store.doors import APPEND_ONLY

ONE_DAY = 24 * 3600


def first_policy(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("engine", "Policy").objects.create(
        version=1,
        group_name="reviewer",
        approvals_needed=1,
        time_limit_seconds=ONE_DAY,
        in_force=True,
        created_at=datetime.now(UTC),
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
