#!/usr/bin/env python3
"""Corpora of the stories by which docs/research/reading-context.md asks why models do not read the form of address in their context:

weighted  segments with a form of address come four times
copies    the same, and for every segment a document of two: two thirds of the words of its own translation, then it
oracle    every segment behind the one sentence that used a form last (or behind the one before it), and behind nothing else
speakers  as weighted, with a letter for whoever speaks before both sides of a segment
sampled   as copies, and every segment once more behind a model's own translations of the three before it

usage: address_variants.py FOLDER CORPUS OUT [TRANSLATIONS], with forms.py and {train,dev,test}.tsv.gz in FOLDER, CORPUS of `canopy corpus
import po`, and TRANSLATIONS of its training documents by `canopy evaluate --hypotheses` with a copy of CORPUS whose test split they are,
without which there is no `sampled`."""
import collections
import copy
import gzip
import json
import pathlib
import random
import re
import sys

SPLITS = "train", "dev", "test"
KEPT = 0.65
WINDOW = 3


def units(document):
    return [unit for paragraph in document["paragraphs"] for unit in paragraph["units"]]


def document_of(name, found):
    section = {"parent": None, "level": 0, "heading": None}
    paragraphs = [{"section": 0, "kind": "text", "id": None, "units": [unit]} for unit in found]
    return {"id": name, "sections": [section], "paragraphs": paragraphs}


def weighted(documents, form):
    for document in documents:
        yield document
        for number in range(3):
            other = copy.deepcopy(document) | {"id": f"{document['id']}#{number}"}
            for unit in units(other):
                if unit["status"] == "new" and not form(unit["source"], unit["target"]):
                    unit["status"] = "repeated"
            if any(unit["status"] == "new" for unit in units(other)):
                yield other


def copies(documents):
    rng = random.Random(5)
    for document in documents:
        for number, unit in enumerate(units(document)):
            words = [word for word in unit["target"].split() if rng.random() < KEPT]
            if unit["status"] == "new" and len(unit["target"].split()) > 2 and words:
                context = {"source": unit["source"], "target": " ".join(words), "status": "repeated"}
                yield document_of(f"{document['id']}~{number}", [context, unit])


def sampled(documents, translations):
    lines = iter(translations)
    for document in documents:
        own = []
        for unit in units(document):
            is_read = unit["status"] in ("new", "repeated")
            own.append(next(lines) if is_read else unit["target"])
        found = units(document)
        for number, unit in enumerate(found):
            if unit["status"] != "new" or number == 0:
                continue
            first = max(0, number - WINDOW)
            before = [found[other] | {"target": own[other], "status": "repeated"} for other in range(first, number)]
            yield document_of(f"{document['id']}%{number}", [*before, unit])


def oracle(documents, form, times):
    for document in documents:
        found = units(document)
        forms = [form(unit["source"], unit["target"]) for unit in found]
        for number, unit in enumerate(found):
            if unit["status"] != "new":
                continue
            used = [other for other in range(number) if forms[other]] if forms[number] else []
            before = used[-1] if used else number - 1
            pair = [found[before] | {"status": "repeated"}] * (before >= 0) + [unit]
            for time in range(times if forms[number] and before >= 0 else 1):
                yield document_of(f"{document['id']}#{number}.{time}", pair)


def speakers(documents, path):
    rows = collections.defaultdict(list)
    for line in gzip.open(path, "rt", encoding="utf8"):
        name, _, english, _, note = line.rstrip("\n").split("\t")
        speaker = re.search(r"speaker=([^\s,]+)", note)
        rows[name].append((english, speaker and speaker[1]))
    for document in documents:
        document, letters, at = copy.deepcopy(document), {}, 0
        told = rows[document["id"]]
        for unit in units(document):
            at = next((row + 1 for row in range(at, len(told)) if told[row][0] == unit["source"]), at)
            speaker = told[at - 1][1] if at else None
            if speaker and speaker != "narrator":
                letter = letters.setdefault(speaker, chr(ord("A") + len(letters) % 26))
                unit |= {side: f"{letter}: {unit[side]}" for side in ("source", "target")}
        yield document


def write(folder, described, splits):
    folder.mkdir(parents=True, exist_ok=True)
    for split, documents in splits.items():
        found = [unit for document in documents for unit in units(document)]
        statuses = collections.Counter(unit["status"] for unit in found)
        described["statistics"][split] = {
            "documents": len(documents),
            "paragraphs": sum(len(document["paragraphs"]) for document in documents),
            "segments": sum(
                any(unit["status"] != "identical" for unit in paragraph["units"])
                for document in documents
                for paragraph in document["paragraphs"]
            ),
            "units": len(found),
            **{status: statuses[status] for status in ("identical", "repeated", "doubtful")},
            "source_words": sum(len(unit["source"].split()) for unit in found),
            "target_words": sum(len(unit["target"].split()) for unit in found),
        }
        lines = [json.dumps(document, ensure_ascii=False) + "\n" for document in documents]
        (folder / f"{split}.jsonl").write_text("".join(lines))
    (folder / "corpus.json").write_text(json.dumps(described, indent=1))


def main(folder, corpus, out, translations=None):
    sys.path.insert(0, folder)
    from forms import form

    corpus, out = pathlib.Path(corpus), pathlib.Path(out)
    read = lambda split: [json.loads(line) for line in (corpus / f"{split}.jsonl").open()]
    splits = {split: read(split) for split in SPLITS}
    spoken = {split: list(speakers(splits[split], f"{folder}/{split}.tsv.gz")) for split in SPLITS}
    heavy = list(weighted(splits["train"], form))
    variants = {
        "weighted": splits | {"train": heavy},
        "copies": splits | {"train": heavy + list(copies(splits["train"]))},
        "oracle": {split: list(oracle(splits[split], form, 4 if split == "train" else 1)) for split in SPLITS},
        "speakers": spoken | {"train": list(weighted(spoken["train"], form))},
    }
    if translations:
        lines = pathlib.Path(translations).read_text().splitlines()
        windows = list(sampled(splits["train"], lines))
        variants["sampled"] = splits | {"train": variants["copies"]["train"] + windows}
    for name, documents in variants.items():
        write(out / name, json.loads((corpus / "corpus.json").read_text()), documents)


if __name__ == "__main__":
    main(*sys.argv[1:])
