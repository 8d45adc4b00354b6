"""From blocks to a PDF: the same bytes for the same article, wherever it is set."""

import json
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

import matplotlib
import typst

from sdclab.base.errors import SdclabError
from sdclab.output.article.blocks import Article

TEMPLATE = "article.typ"

FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")
"""In which the words of figures were measured. All other type is Typst's own; none is the machine's."""


def source(article: Article) -> str:
    """All that the template is given."""
    return json.dumps(asdict(article), ensure_ascii=False)


def pdf(article: Article) -> bytes:
    """Typst's PDF without a date, which would make two of them differ."""
    return typeset(source(article))


def typeset(text: str) -> bytes:
    """The template, given this."""
    template = files(__package__).joinpath(TEMPLATE).read_bytes()
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(FONTS)])
    try:
        return typst.compile(template, font_paths=fonts, format="pdf", sys_inputs={"article": text})
    except typst.TypstError as error:
        raise SdclabError(f"the article cannot be set: {str(error).splitlines()[0]}.") from None
