#!/usr/bin/env python3
"""How far the form of address of a sentence can be told from what a translator knows before translating it: the forms of all sentences
before, who speaks to whom, and the words of the sentence. A logistic regression on the training documents of the stories, beside the rule
that repeats the form last used. usage: address_predictor.py FOLDER, with forms.py and {train,dev,test}.tsv.gz; needs scikit-learn."""
import collections
import gzip
import re
import sys

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression


def documents(path):
    documents, name = [], None
    for line in gzip.open(path, "rt", encoding="utf8"):
        document, _, english, german, note = line.rstrip("\n").split("\t")
        if document != name:
            documents.append([])
            name = document
        speaker = re.search(r"speaker=(\S+)", note)
        documents[-1].append((english, german, speaker and speaker[1]))
    return documents


def examples(path, form):
    """Features, forms, and the form last used."""
    features, forms, lasts = [], [], []
    for document in documents(path):
        used, speakers = [], []
        for number, (english, german, speaker) in enumerate(document):
            other = next((it for it in reversed(speakers) if it != speaker), None)
            speakers.append(speaker)
            this = form(english, german)
            if not this:
                continue
            of = lambda wanted: next((it[1] for it in reversed(used) if wanted(it)), "none")
            found = {
                "last": of(lambda it: True),
                "near": of(lambda it: number - it[0] < 3),
                "speaker's": of(lambda it: it[2] == speaker),
                "of both": of(lambda it: it[2] == speaker and it[3] == other),
                "the other's": of(lambda it: it[2] == other and it[3] == speaker),
            }
            example = {f"{key}={value}": 1 for key, value in found.items()}
            counts = collections.Counter(it[1] for it in used)
            example.update({f"share={key}": value / len(used) for key, value in counts.items()})
            example.update({f"word={word}": 0.5 for word in re.findall(r"[a-z']+", english.lower())})
            features.append(example)
            forms.append(this)
            lasts.append(found["last"])
            used.append((number, this, speaker, other))
    return features, forms, lasts


def main(folder):
    sys.path.insert(0, folder)
    from forms import form

    train, dev, test = (examples(f"{folder}/{split}.tsv.gz", form) for split in ("train", "dev", "test"))
    vectors = DictVectorizer().fit(train[0])
    fitted = [LogisticRegression(C=c, max_iter=2000).fit(vectors.transform(train[0]), train[1]) for c in (0.03, 0.1, 0.3, 1, 3)]
    best = max(fitted, key=lambda model: model.score(vectors.transform(dev[0]), dev[1]))
    for name, (features, forms, lasts) in (("dev", dev), ("test", test)):
        right = best.score(vectors.transform(features), forms)
        rule = sum(map(str.__eq__, lasts, forms)) / len(forms)
        print(f"{name}: {len(forms)} segments, predicted {100 * right:.1f} %, as last {100 * rule:.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
