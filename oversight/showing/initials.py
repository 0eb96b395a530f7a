"""The two letters that stand for a person."""


def initials(name: str) -> str:
    """First letters of the first and last word, in capitals: "Ada M. Byron" → "AB"."""
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        return "?"
    ends = words[:1] if len(words) == 1 else [words[0], words[-1]]
    return "".join(word[0] for word in ends).upper()
