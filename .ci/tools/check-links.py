"""Checks the links of a documentation site, and those of the Markdown files of the repository.

    check-links.py SITE PATH...    each page of SITE, which docc has written, and each Markdown file below the paths

A page of the site links to others by the references that it lists. Each has to be a page or a file of the site. A relative link of
a Markdown file has to name a file, and its fragment a heading. Web addresses are not requested. First the script checks itself: it
has to find what is wrong with a small site and a small file.
"""
import json
import pathlib
import re
import sys
import tempfile
import urllib.parse

CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$", re.MULTILINE)


def references(value):
    """Returns all objects of JSON that are the target of a reference."""
    if isinstance(value, dict):
        if isinstance(value.get("references"), dict):
            yield from value["references"].values()
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def page_problems(site):
    """Returns the problems of a site, and the number of its pages."""
    data = site / "data"
    pages = sorted(data.rglob("*.json"))
    problems = []
    documents = {}
    for page in pages:
        document = json.loads(page.read_text())
        address = "/" + str(page.relative_to(data).with_suffix(""))
        if not (site / address[1:] / "index.html").is_file():
            problems.append(f"{address}: has no index.html")
        documents[address] = document
    for address, document in documents.items():
        for target in references(document):
            if target.get("type") == "image":
                variants = [variant["url"] for variant in target.get("variants", [])]
                problems += [f"{address}: no file {url}" for url in variants if not exists(site, url)]
            elif "url" in target and target["url"].startswith("/"):
                url, _, fragment = target["url"].partition("#")
                if url not in documents:
                    problems.append(f"{address}: no page {url}")
                elif fragment and not has_anchor(documents[url], urllib.parse.unquote(fragment)):
                    problems.append(f"{address}: {url} has no section {fragment}")
    return problems, len(pages)


def exists(site, url):
    # Merged archives have their files in a folder for each module.
    return (site / url.lstrip("/")).is_file() or any(site.glob("*/*/" + url.rsplit("/", 1)[-1]))


def has_anchor(document, fragment):
    if isinstance(document, dict):
        anchor = document.get("anchor")
        if isinstance(anchor, str) and anchor.lower() == fragment.lower():
            return True
        return any(has_anchor(value, fragment) for key, value in document.items() if key != "references") or (
            # The sections that docc makes by itself have no anchors in its data.
            fragment in ("Topics", "See-Also", "Relationships", "Default-Implementations")
        )
    if isinstance(document, list):
        return any(has_anchor(value, fragment) for value in document)
    return False


def slug(heading):
    """Returns the fragment of a heading, as GitHub makes it."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def file_problems(file):
    """Returns the problems of the relative links of a Markdown file."""
    problems = []
    text = CODE.sub("", file.read_text())
    for match in LINK.finditer(text):
        target = match.group(1)
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, fragment = target.partition("#")
        found = file if not path else file.parent / urllib.parse.unquote(path)
        if not found.exists():
            problems.append(f"{file}: no file {path}")
        elif fragment and found.suffix == ".md":
            headings = [slug(heading) for heading in HEADING.findall(CODE.sub("", found.read_text()))]
            if fragment.lower() not in headings:
                problems.append(f"{file}: {found} has no heading {fragment}")
    return problems


def check_itself():
    """Fails if broken links of a site and of a file are not found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        links = [{"type": "topic", "url": url} for url in ("/documentation/a#b", "/documentation/a#c", "/documentation/d")]
        page = {"anchor": "b", "references": {link["url"]: link for link in links}}
        (root / "data/documentation").mkdir(parents=True)
        (root / "data/documentation/a.json").write_text(json.dumps(page))
        file = root / "a.md"
        file.write_text("# A b\n[x](a.md) [x](a.md#a-b) [x](#c)\n[x](b.md) [x](https://example.com)\n```\n[x](c.md)\n```\n")
        found = page_problems(root)[0] + file_problems(file)
    expected = ["has no index.html", "has no section c", "no page /documentation/d", "has no heading c", "no file b.md"]
    if len(found) != len(expected) or not all(map(str.endswith, found, expected)):
        sys.exit("check-links.py does not find the broken links of its example: " + "; ".join(found))


def main():
    check_itself()
    site, paths = pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]
    problems, pages = page_problems(site)
    if pages == 0:
        problems.append(f"{site}: has no pages")
    files = [file for path in paths for file in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    files = [file for file in files if ".build" not in file.parts]
    for file in files:
        problems += file_problems(file)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{len(problems)} links lead nowhere")
    print(f"links of {pages} pages and {len(files)} files: each leads somewhere")


main()
