"""Pages of the site that no one writes: by method, by measure, how to cite, and files that lie outside docs/."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from sdclab.measures import MEASURES
from sdclab.methods import METHODS
from sdclab.output.site import drawings, pages

PROJECT = Path(__file__).resolve().parents[1]

ELSEWHERE = {
    "index.md": "README.md",
    "config.md": "config/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
"""Pages of the site that are files of the project."""

MOVED = {
    "../config/README.md": "config.md",
    "../docs/": "",
    "docs/tutorial.ipynb": "tutorial.md",
    "tutorial.ipynb": "tutorial.md",
    "docs/": "",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Where links lead that are right in the project, once its files are pages."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of methods and measures where their kinds are."""
    for entry in config.nav or []:
        for registry, title in ((METHODS, "Methods"), (MEASURES, "Measures")):
            if title in entry:
                one_by_one = [{name: f"{title.lower()}/{name}.md"} for name in registry.present]
                entry[title] += [{"One by one": [f"{title.lower()}/index.md", *one_by_one]}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add all that is written here."""
    drawn = {path: svg for path, svg in drawings.drawings().items() if svg}
    made = {page: (PROJECT / source).read_text(encoding="utf-8") for page, source in ELSEWHERE.items()}
    made |= {"citing.md": pages.citing(PROJECT / "CITATION.cff")}
    made |= {"tutorial.md": pages.tutorial(PROJECT / "docs/tutorial.ipynb")}
    for registry, title, of in ((METHODS, "Methods", pages.of_method), (MEASURES, "Measures", pages.of_measure)):
        folder = title.lower()
        made |= {f"{folder}/{name}.md": of(name, f"{folder}/{name}.svg" in drawn) for name in registry.present}
        made |= {f"{folder}/index.md": pages.index(registry, f"{title} one by one")}
    for path, text in {**made, **drawn}.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links between files of the project as links between pages."""
    for old, new in MOVED.items():
        markdown = markdown.replace(f"]({old}", f"]({new}")
    return markdown
