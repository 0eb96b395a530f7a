import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("oversight", "0002_agents"),
    ]

    operations = [
        migrations.CreateModel(
            name="Pace",
            fields=[
                (
                    "key",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="oversight.apikey",
                    ),
                ),
                ("full_at", models.DateTimeField()),
            ],
        ),
        # It is written with every request of an agent, and worth nothing after a crash.
        migrations.RunSQL(
            "ALTER TABLE oversight_pace SET UNLOGGED", "ALTER TABLE oversight_pace SET LOGGED"
        ),
    ]
