"""Elided verbs of one pair of CTXPRO as training items of another one: "Does he know? – He does." becomes the translation of "He does know."

usage: ellipsis_items.py FOLDER PAIR OTHER … OUT; FOLDER holds auxiliary.PAIR.SPLIT.json.gz and .inputs.gz, as of en-pt, and those of the
OTHER pairs, whose English sides are taken. No film of PAIR's dev set and no item that PAIR has is among them. Writes OUT.full, the
sentence that ends each item with its verb spelled out, and OUT.none, a dash for each, so that `canopy corpus import text` and `canopy
evaluate --hypotheses` translate them line by line; `ellipsis_items.py --join OUT LINES` then writes OUT.json and OUT.inputs, items whose
reference is the translation, for `canopy corpus import ctxpro --train`.
"""
import gzip
import json
import re
import sys

AUXILIARIES = {"do": "do|does|did", "will": "will|'ll|wo", "would": "would|'d"}
SUBJECT = r"( (?:i|you|he|she|it|we|they|that|this|the \w+|your \w+|my \w+))(?![\w'])( not)?"


def load(folder, pair, split):
    """Items of a set, each with its line of inputs."""
    with gzip.open(f"{folder}/auxiliary.{pair}.{split}.json.gz", "rt", encoding="utf8") as file:
        items = json.load(file)
    with gzip.open(f"{folder}/auxiliary.{pair}.{split}.inputs.gz", "rt", encoding="utf8") as file:
        lines = file.read().split("\n")[:-1]
    return list(zip(items, lines, strict=True))


def film(item):
    """Year and number of a film, which the pairs share."""
    return "_".join(item["document id"].split("/")[-1].split("_")[:2])


def key(item):
    return item["src segment"], item["src ante segment"]


def spelled_out(item):
    """The sentence with its verb: behind the only auxiliary, its negation, and its subject in a question."""
    sentence, verb = item["src segment"], item["src ante verb lemma"].strip("-").lower()
    auxiliaries = AUXILIARIES.get(item["src verb lemma"].lower())
    if not auxiliaries or not re.fullmatch("[a-z]+", verb):
        return None
    found = list(re.finditer(rf"\b({auxiliaries})(n't)?(?![\w'])", sentence, re.IGNORECASE))
    if len(found) != 1:
        return None
    end = found[0].end()
    behind = re.match(SUBJECT, sentence[end:], re.IGNORECASE) or re.match(r" not\b", sentence[end:])
    end += behind.end() if behind else 0
    return f"{sentence[:end]} {verb}{sentence[end:]}".replace("\n", " ")


def collect(folder, pair, others, out):
    own = {split: load(folder, pair, split) for split in ("train", "dev")}
    films = {film(item) for item, _ in own["dev"]}
    seen = {key(item) for split in own.values() for item, _ in split}
    rows = []
    for other in others:
        for split in ("train", "dev"):
            for item, line in load(folder, other, split):
                full = spelled_out(item)
                if full and film(item) not in films and key(item) not in seen:
                    seen.add(key(item))
                    rows.append((item, line, full))
    with open(f"{out}.items", "w", encoding="utf8") as file:
        json.dump([(item, line) for item, line, _ in rows], file)
    with open(f"{out}.full", "w", encoding="utf8") as file:
        file.writelines(full + "\n" for *_, full in rows)
    with open(f"{out}.none", "w", encoding="utf8") as file:
        file.write("–\n" * len(rows))
    print(f"{len(rows)} items")


def join(out, translations):
    with open(f"{out}.items", encoding="utf8") as file:
        rows = json.load(file)
    with open(translations, encoding="utf8") as file:
        lines = file.read().split("\n")[:-1]
    items, inputs = [], []
    for (item, line), translation in zip(rows, lines, strict=True):
        # An item needs a form that its reference has; it is not scored in training.
        words = re.findall(r"\w+", translation)
        if words:
            items.append(item | {"ref segment": translation, "expected": words[-1]})
            inputs.append(line + "\n")
    with open(f"{out}.json", "w", encoding="utf8") as file:
        json.dump(items, file, ensure_ascii=False)
    with open(f"{out}.inputs", "w", encoding="utf8") as file:
        file.writelines(inputs)


if sys.argv[1] == "--join":
    join(*sys.argv[2:])
else:
    folder, pair, *others, out = sys.argv[1:]
    collect(folder, pair, others, out)
