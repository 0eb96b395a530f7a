"""The shop's configuration folder, and the one file that lies in it from the beginning."""

from pathlib import Path

FILE = "shop.ini"

FIRST = """\
[refunds]
without_asking_up_to = 0.00
days_after_purchase = 30

[parcels]
carrier = northpost
free_from = 60.00

[counter]
opens = 09:00
closes = 18:00
"""


def lay_out(folder: Path) -> None:
    """Make the folder and its first file where they are missing."""
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    file = folder / FILE
    if not file.exists():
        file.write_text(FIRST, encoding="utf-8")
        file.chmod(0o640)
