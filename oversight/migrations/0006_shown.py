"""Pages that people saw as they decided, by the hash of what was shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("oversight", "0005_factor_tries")]

    operations = [
        migrations.CreateModel(
            name="Shown",
            fields=[
                ("digest", models.TextField(primary_key=True, serialize=False)),
                ("body", models.BinaryField()),
                ("kept_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
