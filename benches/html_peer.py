"""Where tags stand in translations by Canopy and by Bergamot's own HTML mode, with the same model, beside human translations.

    python3.10 benches/html_peer.py CORPUS FOLDER --model MODEL [--canopy target/release/canopy]

CORPUS is an imported corpus with tags (test split), FOLDER a model of Firefox as Bergamot reads it, MODEL the same one as Canopy opens
it. Needs `pip install bergamot==0.4.5 requests pyyaml` (Python 3.10). Units whose reference has other tags, and those of more
than 400 characters, are left out.
"""

import argparse
import html
import json
import re
import subprocess
import tempfile
import unittest.mock
from html.parser import HTMLParser
from pathlib import Path


def fragment(text, points):
    """A unit as HTML: pairs are <b>, points that show a text <code>, others <br>."""
    written = []
    for character in text:
        code = ord(character)
        if 0xE000 <= code < 0xE100:
            written.append(f'<b id="t{code - 0xE000}">')
        elif code == 0xE200:
            written.append("</b>")
        elif 0xE100 <= code < 0xE200:
            number = code - 0xE100
            shown = points[number] if number < len(points) else ""
            tag = f'<code id="t{number}">{html.escape(shown)}</code>' if shown.strip() else f'<br id="t{number}">'
            written.append(tag)
        else:
            written.append(html.escape(character, quote=False))
    return "".join(written)


def units(corpus):
    found = {}
    tags = lambda text: sorted(c for c in text if 0xE000 <= ord(c) <= 0xE200)
    for line in open(corpus / "test.jsonl", encoding="utf8"):
        for unit in (unit for paragraph in json.loads(line)["paragraphs"] for unit in paragraph["units"]):
            source, target = unit["source"], unit["target"]
            if tags(source) and tags(source) == tags(target) and len(source) <= 400 and source not in found:
                points = unit.get("points", [])
                found[source] = (fragment(source, points), fragment(target, unit.get("target_points", points)))
    return list(found.values())


def by_bergamot(folder, sources):
    import requests
    import yaml

    answer = type("Answer", (), {"text": '{"models": []}'})()
    with unittest.mock.patch.object(requests, "get", lambda *_, **__: answer):
        import bergamot
    config = yaml.safe_load(next(folder.glob("config.intgemm*.yml")).read_text())
    config.update({"ssplit-prefix-file": "", "ssplit-mode": "paragraph", "max-length-break": 128, "alignment": "soft"})
    config.update({"mini-batch-words": 1024, "workspace": 128})
    path = folder / "config.html_peer.yml"
    path.write_text(yaml.dump(config, sort_keys=False))
    service = bergamot.Service(bergamot.ServiceConfig(numWorkers=2, logLevel="off"))
    model = service.modelFromConfigPath(str(path))
    options = bergamot.ResponseOptions(alignment=True, qualityScores=False, HTML=True)
    return [it.target.text for it in service.translate(model, bergamot.VectorString(sources), options)]


def by_canopy(canopy, model, languages, sources):
    with tempfile.TemporaryDirectory() as folder:
        page, output = Path(folder) / "page.html", Path(folder) / "output.html"
        page.write_text("<html><body>\n" + "".join(f"<p>{it}</p>\n" for it in sources) + "</body></html>\n")
        command = [canopy, "translate", page, "--model", model, "--from", languages[0], "--to", languages[1], "-o", output]
        subprocess.run(command, check=True, capture_output=True)
        return re.findall(r"<p>(.*?)</p>\n", output.read_text(), re.DOTALL)


class Tags(HTMLParser):
    """The texts that each tag encloses."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.spans = "", [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        name = (tag, dict(attributes).get("id"))
        if tag == "br":
            self.spans.setdefault(name, []).append("")
        else:
            self.open.append((name, len(self.text)))

    def handle_endtag(self, tag):
        if self.open:
            name, start = self.open.pop()
            self.spans.setdefault(name, []).append(self.text[start:])

    def handle_data(self, text):
        self.text += text


def figures(name, pairs, translations):
    words = lambda texts: re.sub(r"[\W_]+", " ", " ".join(texts)).lower().split()
    total = right = empty = split = lost = code = kept = 0
    for (source, reference), translation in zip(pairs, translations):
        own, known, found = Tags(source).spans, Tags(reference).spans, Tags(translation).spans
        for tag, texts in own.items():
            lost += tag not in found
            if tag[0] == "code":
                code, kept = code + 1, kept + (found.get(tag, [""])[0].strip() == texts[0].strip())
            elif tag[0] == "b":
                total += 1
                placed = found.get(tag, [])
                right += words(placed) == words(known.get(tag, []))
                split += len(placed) > 1
                empty += bool(words(texts)) and not words(placed)
    print(f"{name}: {right} of {total} pairs enclose the words of the reference; {empty} empty, {split} written several times,")
    print(f"  {lost} lost; {kept} of {code} code spans as they were")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--canopy", default="target/release/canopy")
    arguments = parser.parse_args()
    corpus = json.loads((arguments.corpus / "corpus.json").read_text())
    languages = corpus["source_language"], corpus["target_language"]
    pairs = units(arguments.corpus)
    sources = [source for source, _ in pairs]
    print(f"{len(pairs)} units")
    figures("Bergamot", pairs, by_bergamot(arguments.folder, sources))
    figures("Canopy", pairs, by_canopy(arguments.canopy, arguments.model, languages, sources))


main()
