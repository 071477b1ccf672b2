"""Which expected words does a model miss: another verb, or another form of the right one, and how often has it seen the form?

usage: ellipsis_errors.py TRAIN.json[.gz] TEST.json[.gz] CORPUS HYPOTHESES; the sets are CTXPRO's, CORPUS is what `canopy corpus import
ctxpro` made of TEST, and HYPOTHESES what `canopy evaluate --hypotheses` wrote for it.
"""
import gzip
import json
import re
import sys
from collections import Counter


def items(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf8") as file:
        return json.load(file)


def stem(form):
    """What most forms of a Portuguese verb share."""
    return form[: max(3, len(form) - 3)]


def result(form, hypothesis):
    words = re.findall(r"\w+", hypothesis.lower())
    if form in words:
        return "right"
    return "another form" if any(word.startswith(stem(form)) for word in words) else "another verb"


train, test, corpus, hypotheses = sys.argv[1:]
seen = Counter(item["expected"].lower() for item in items(train))
by_id = {f"{item['document id']}#{item['segment id']}/{item['expected']}": item for item in items(test)}
with open(f"{corpus}/test.jsonl", encoding="utf8") as file:
    order = [by_id[json.loads(line)["id"]] for line in file]
with open(hypotheses, encoding="utf8") as file:
    lines = file.read().split("\n")[: len(order)]
bands = [("never", 0, 0), ("1 to 4 times", 1, 4), ("5 to 19 times", 5, 19), ("20 times or more", 20, 10**9), ("all", 0, 10**9)]
for name, least, most in bands:
    counts = Counter(
        result(item["expected"].lower(), line)
        for item, line in zip(order, lines, strict=True)
        if least <= seen[item["expected"].lower()] <= most
    )
    number = sum(counts.values())
    shares = ", ".join(f"{kind} {100 * counts[kind] / number:.1f} %" for kind in ("right", "another form", "another verb"))
    print(f"form seen {name}: {number} items, {shares}")
