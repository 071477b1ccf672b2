"""Elided verbs of one pair of CTXPRO as training items of another one: "Does he know? – He does." becomes the translation of "He does know."

usage: ellipsis_items.py FOLDER PAIR OTHER … OUT; FOLDER holds auxiliary.PAIR.SPLIT.json.gz and .inputs.gz, as of en-pt, and those of the
OTHER pairs, whose English sides are taken. No film of PAIR's dev set and no item that PAIR has is among them. Writes OUT.full, the
sentence that ends each item with its verb spelled out, and OUT.none, a dash for each, so that `canopy corpus import text` and `canopy
evaluate --hypotheses` translate them line by line; `ellipsis_items.py --join OUT LINES` then writes OUT.json and OUT.inputs, items whose
reference is the translation, for `canopy corpus import ctxpro --train`.

`ellipsis_items.py --spelled-out FOLDER PAIR OUT` writes PAIR's own items with the verb spelled out, OUT.train.json, OUT.train.inputs and
the same for dev: what a sentence-level model can do that is given the verb. `--pairs FOLDER PAIR OUT` writes sentences of films that
have a translation, OUT.source and OUT.target, for the style of such a model. `--made OUT` makes items of OUT.en and OUT.full, as
`ellipsis_texts.py` writes them: OUT.items, and OUT.full and OUT.none of the last sentences alone.
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


def spelled_out_items(folder, pair, out):
    films = {film(item) for item, _ in load(folder, pair, "dev")}
    for split in ("train", "dev"):
        items, inputs = [], []
        for item, _ in load(folder, pair, split):
            full = spelled_out(item)
            if full and (film(item) in films) == (split == "dev"):
                items.append(item | {"src segment": full})
                inputs.append(full + "\n")
        with open(f"{out}.{split}.json", "w", encoding="utf8") as file:
            json.dump(items, file, ensure_ascii=False)
        with open(f"{out}.{split}.inputs", "w", encoding="utf8") as file:
            file.writelines(inputs)
        print(f"{len(items)} items of {split}")


def pairs(folder, pair, out):
    """Antecedents of elided verbs, and items of the pair's other sets and of its reverse; none of a film of the dev set."""
    films = {film(item) for item, _ in load(folder, pair, "dev")}
    source, target = pair.split("-")
    found = {}

    def add(name, sides):
        with gzip.open(f"{folder}/{name}.train.json.gz", "rt", encoding="utf8") as file:
            for item in json.load(file):
                for one, other in sides:
                    texts = [" ".join(item.get(side, "").split()) for side in (one, other)]
                    if film(item) not in films and 2 <= len(texts[0].split()) <= 40 and texts[1]:
                        found[tuple(texts)] = None

    add(f"auxiliary.{pair}", [("src ante segment", "ref ante segment")])
    add(f"formality.{pair}", [("src segment", "ref segment")])
    add(f"animacy.{target}-{source}", [("ref segment", "src segment"), ("ref ante segment", "src ante segment")])
    for side, ending in enumerate(("source", "target")):
        with open(f"{out}.{ending}", "w", encoding="utf8") as file:
            file.writelines(f"<d>\n{texts[side]}\n" for texts in found)
    print(f"{len(found)} pairs")


def made(out):
    def documents(ending):
        with open(f"{out}.{ending}", encoding="utf8") as file:
            return [text.splitlines() for text in file.read().split("<d>\n")[1:]]

    rows, fulls = [], []
    for number, (sentences, full) in enumerate(zip(documents("en"), documents("full"), strict=True)):
        item = {"src segment": sentences[-1], "ref segment": "", "expected": "", "ante distance": 1, "segment id": number}
        rows.append((item | {"document id": f"made/{number}"}, "<eos> ".join(sentences)))
        fulls.append(full[-1] + "\n")
    with open(f"{out}.items", "w", encoding="utf8") as file:
        json.dump(rows, file)
    with open(f"{out}.full", "w", encoding="utf8") as file:
        file.writelines(fulls)
    with open(f"{out}.none", "w", encoding="utf8") as file:
        file.write("–\n" * len(rows))
    print(f"{len(rows)} items")


MODES = {"--join": join, "--spelled-out": spelled_out_items, "--pairs": pairs, "--made": made}
if sys.argv[1] in MODES:
    MODES[sys.argv[1]](*sys.argv[2:])
else:
    folder, pair, *others, out = sys.argv[1:]
    collect(folder, pair, others, out)
