"""The explorer: fuzzy c-regression in the plane, the heir of the thesis' FCR_GUI (Cano 2009, appendix A.2)."""

from sdclab.output.pages.marks import as_script
from sdclab.output.pages.markup import asset, document


def explorer() -> str:
    """The whole page."""
    script = as_script() + asset("fcrm.js") + asset("explorer.js")
    title = "sdclab explorer: fuzzy c-regression in the plane"
    return document(title, asset("explorer.html"), script=script, class_="explorer")
