"""Translations of the context sentences of corpora, for systems that read translations: items of CTXPRO have none before them.

usage: context_translations.py OUT NUMBER CORPUS …; takes the NUMBER sentences before each item of train and dev. Writes OUT.source, each of
them once, and OUT.none, a dash for each, so that `canopy corpus import text` and `canopy evaluate --hypotheses` translate them line by line;
`context_translations.py --join OUT LINES NUMBER CORPUS …` then puts the lines of a translation into the corpora. They stay context, which is
read and not learnt.
"""
import json
import sys


def documents(corpus, number):
    """The lines of the training and development documents, each with its sentences that are read."""
    for split in ("train", "dev"):
        path = f"{corpus}/{split}.jsonl"
        with open(path, encoding="utf8") as file:
            found = [json.loads(line) for line in file]
        units = [[unit for paragraph in document["paragraphs"] for unit in paragraph["units"]] for document in found]
        yield path, found, [unit for row in units for unit in row[-1 - number : -1] if unit["status"] == "context"]


def collect(out, number, *corpora):
    read = {unit["source"]: None for corpus in corpora for _, _, units in documents(corpus, int(number)) for unit in units}
    with open(f"{out}.source", "w", encoding="utf8") as file:
        file.writelines(source + "\n" for source in read)
    with open(f"{out}.none", "w", encoding="utf8") as file:
        file.write("–\n" * len(read))
    print(f"{len(read)} sentences")


def join(out, translations, number, *corpora):
    def lines(path):
        with open(path, encoding="utf8") as file:
            return file.read().split("\n")

    targets = dict(zip(lines(f"{out}.source"), lines(translations), strict=True))
    for corpus in corpora:
        for path, found, units in documents(corpus, int(number)):
            for unit in units:
                unit["target"] = targets[unit["source"]]
            with open(path, "w", encoding="utf8") as file:
                file.writelines(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n" for document in found)


if sys.argv[1] == "--join":
    join(*sys.argv[2:])
else:
    collect(*sys.argv[1:])
