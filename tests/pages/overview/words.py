"""What a page says, where every tag parts two words."""

import re
from html import unescape

from tests.pages.reading import Page


def said(page: Page) -> str:
    """The page's own part, without the frame."""
    main = page.html.partition("<main")[2].partition("</main>")[0] or page.html
    return re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", " ", main)))
