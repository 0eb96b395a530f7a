import pytest

from oversight.showing.initials import initials


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("Ines Calder", "IC"),
        ("Ada M. Byron", "AB"),
        ("otto", "O"),
        ("", "?"),
        ("<b>", "?"),
        ("émile zola", "ÉZ"),
    ],
)
def test_the_letters_of_a_name(name: str, letters: str) -> None:
    assert initials(name) == letters
