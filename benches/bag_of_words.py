"""How much do a sentence, those before it, and both tell a bag of words about the word that CTXPRO expects?

usage: bag_of_words.py FOLDER SET [SENTENCES]; FOLDER holds SET.train.json.gz, SET.train.inputs.gz and the same of dev, as auxiliary.en-pt.
Needs scikit-learn. Prints the share of dev items, in %, whose expected form is predicted, with the interval that holds 95 % of
sets drawn by film. Features are the words and pairs of neighbours of the sentence, and those of up to SENTENCES (1) sentences before it;
the two nearest are told apart. A set of up to 20 forms is learnt by logistic regression, a larger one by naive Bayes.
"""
import gzip
import json
import re
import sys

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import MultinomialNB

folder, name = sys.argv[1:3]
reach = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def words(text):
    return re.findall(r"\w+(?:'\w+)?", text.lower())


def load(split):
    with gzip.open(f"{folder}/{name}.{split}.json.gz", "rt", encoding="utf8") as file:
        items = json.load(file)
    with gzip.open(f"{folder}/{name}.{split}.inputs.gz", "rt", encoding="utf8") as file:
        lines = file.read().split("\n")[:-1]
    for item, line in zip(items, lines, strict=True):
        *before, sentence = [words(part) for part in line.split("<eos>")]
        yield item["expected"].lower(), sentence, before[-reach:][::-1], item["document id"]


def pairs(mark, sentence):
    return {f"{mark}{word}": 1 for word in sentence} | {f"{mark}{a} {b}": 1 for a, b in zip(sentence, sentence[1:])}


def of_sentence(sentence, _):
    return pairs("sentence:", ["<", *sentence, ">"]) | {"length": min(len(sentence), 10)}


def of_context(_, before):
    features = {}
    for distance, sentence in enumerate(before):
        features |= pairs("before:", sentence)
        if distance < 2:
            features |= {f"before {distance + 1}:{word}": 1 for word in sentence}
    return features


def of_both(sentence, before):
    return of_sentence(sentence, before) | of_context(sentence, before)


def narrow(matrix):
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


train, dev = list(load("train")), list(load("dev"))
expected, films = np.array([item[0] for item in dev]), np.array([item[3] for item in dev])
items_of_film = [np.flatnonzero(films == film) for film in sorted(set(films))]


def report(view, right):
    draws = np.random.default_rng(1).choice(len(items_of_film), (1000, len(items_of_film)))
    means = [right[np.concatenate([items_of_film[film] for film in draw])].mean() for draw in draws]
    low, high = np.percentile(means, [2.5, 97.5])
    print(f"{view}: {100 * right.mean():.1f} [{100 * low:.1f}, {100 * high:.1f}]", flush=True)


forms, counts = np.unique([item[0] for item in train], return_counts=True)
print(f"{name}: {len(train)} items to learn, {len(dev)} to score from {len(items_of_film)} films, {len(forms)} forms")
report(f"always {forms[counts.argmax()]}", expected == forms[counts.argmax()])
for view, features in [("sentence", of_sentence), ("context", of_context), ("both", of_both)]:
    if len(forms) > 1:
        vectors = DictVectorizer()
        model = SGDClassifier(loss="log_loss", alpha=3e-5, max_iter=60, random_state=1, average=True) if len(forms) <= 20 else MultinomialNB(alpha=0.01)
        model.fit(narrow(vectors.fit_transform([features(*item[1:3]) for item in train])), [item[0] for item in train])
        report(view, model.predict(narrow(vectors.transform([features(*item[1:3]) for item in dev]))) == expected)
