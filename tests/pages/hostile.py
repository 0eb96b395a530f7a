"""What somebody might write to deceive a reader or to run on their page; and how inert it is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "</textarea><script>alert(1)</script>",
    "'-alert(1)-'",
    "javascript:alert(1)",
    "{{ 7|add:7 }}{% debug %}",
    "<!--",
    "]]><a href=https://evil.example>x</a>",
    "&lt;b&gt;&amp;#x3c;",
    '<div hx-get="/evil" hx-trigger="load">',
    "<form action=https://evil.example><input name=decision value=approve>",
]

HARM = (
    "<script>alert",
    "<img",
    "<svg onload",
    "<a href=https",
    '<div hx-get="/evil',
    "<form action=https",
    "<!--",
)

HIDDEN = {
    "right-to-left override": "\u202e",
    "left-to-right isolate": "\u2066",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "soft hyphen": "\u00ad",
    "tag letter": "\U000e0041",
    "byte order mark": "\ufeff",
    "line separator": "\u2028",
    "hangul filler": "\u3164",
    "no-break space": "\u00a0",
    "escape": "\x1b",
    "variation selector": "\ufe0f",
}

EVERYTHING = " ".join([*MARKUP, *(f"to{character}Mara" for character in HIDDEN.values())])

THEIRS = (
    "img[src=x], svg[onload], script:not([src]), [hx-get='/evil'],"
    " [href*='//evil'], [action*='//evil'], [href^='javascript:']"
)
"""What would be on the page if any of it were taken for markup."""

READ = """() => {
  const read = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest("script, textarea")) {
      read.push(walker.currentNode.data);
    }
  }
  for (const name of ["title", "aria-label", "alt", "placeholder", "data-announce"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      read.push(element.getAttribute(name));
    }
  }
  return read;
}"""
"""All of a page that is read, by eye or aloud, but for what stands in a field to be edited."""


def must_be_inert(page: "Page") -> None:
    """All of it open: nothing is markup of theirs, and nothing that is read would be invisible."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    assert page.locator("main").count() == 1, page.url
    assert page.locator(THEIRS).count() == 0, page.url
    read = page.evaluate(READ)
    raw = [each for each in read if any(character in each for character in HIDDEN.values())]
    assert raw == [], page.url


MARKED = "⟨U+202E⟩"


def is_read(page: "Page", *words: str) -> bool:
    """They stand there as text. In code, what would be invisible is written as it is there."""
    text = page.locator("main").inner_text().replace(r"\u202e", MARKED)
    return all(each in text for each in words)
