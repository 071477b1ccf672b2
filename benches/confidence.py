"""How well the mean probability of its tokens tells whether a translation is good, and the curve that makes it a confidence.

    python benches/confidence.py --model assets/models/help-en-de corpora/help-en-de corpora/flores [--canopy target/release/canopy]

Translates development units of each corpus, and calls those good whose chrF against the reference is 50 or more. Prints for each
corpus and for all of them the share of good ones, the mean confidence and the area under the ROC curve (AUC), and fits
`1 / (1 + exp(-(a + b * log p)))`. Needs numpy and sacrebleu.
"""

import argparse
import html
import json
import random
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from sacrebleu import sentence_chrf

GOOD = 50


def units(corpus, most):
    found = []
    for line in (corpus / "dev.jsonl").read_text().splitlines():
        for paragraph in json.loads(line)["paragraphs"]:
            found += [unit for unit in paragraph["units"] if unit.get("status", "new") == "new"]
    plain = lambda text: "".join(c for c in text if not "\ue000" <= c <= "\ue200").strip()
    pairs = [(plain(unit["source"]), plain(unit["target"])) for unit in found]
    random.seed(1)
    random.shuffle(pairs)
    return pairs[:most]


def translated(canopy, model, pairs, beam):
    """Pairs of log-probability a token and chrF."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text("".join(f"<p>{html.escape(source)}</p>\n" for source, _ in pairs))
        command = [canopy, "translate", page, "--model", model, "--beam", str(beam), "--json"]
        answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    paragraphs = defaultdict(list)
    for sentence in answer["sentences"]:
        paragraphs[sentence["paragraph"]].append(sentence)
    assert len(paragraphs) == len(pairs)
    points = []
    for (_, reference), sentences in zip(pairs, (paragraphs[key] for key in sorted(paragraphs))):
        tokens = sum(sentence["tokens"] for sentence in sentences)
        if tokens:
            log_prob = sum(sentence["log_prob"] or 0 for sentence in sentences) / tokens
            hypothesis = " ".join(sentence["target"] for sentence in sentences)
            points.append((log_prob, sentence_chrf(hypothesis, [reference]).score))
    return np.array(points)


def auc(scores, good):
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    positive, negative = good.sum(), (~good).sum()
    return (ranks[good].sum() - positive * (positive + 1) / 2) / max(1, positive * negative)


def fitted(log_probs, good):
    """Logistic regression by Newton's method."""
    x = np.stack([np.ones_like(log_probs), log_probs], axis=1)
    weights = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        weights += np.linalg.solve(hessian, x.T @ (good - p))
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--canopy", default="target/release/canopy")
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--beam", type=int, default=4)
    arguments = parser.parse_args()
    found = {}
    for corpus in arguments.corpora:
        pairs = units(corpus, arguments.most)
        found[corpus.name] = translated(arguments.canopy, arguments.model, pairs, arguments.beam)
    every = np.concatenate(list(found.values()))
    a, b = fitted(every[:, 0], every[:, 1] >= GOOD)
    print(f"a = {a:.3f}, b = {b:.3f}")
    for name, points in [*found.items(), ("all", every)]:
        log_probs, good = points[:, 0], points[:, 1] >= GOOD
        confidence = 1 / (1 + np.exp(-(a + b * log_probs)))
        print(f"{name}: {len(points)} units, chrF {points[:, 1].mean():.1f}, {good.mean():.0%} good, "
              f"confidence {confidence.mean():.0%}, p {np.exp(log_probs).mean():.2f}, AUC {auc(log_probs, good):.3f}")
    confidence = 1 / (1 + np.exp(-(a + b * every[:, 0])))
    for low in np.arange(0, 1, 0.2):
        chosen = (confidence >= low) & (confidence < low + 0.2)
        if chosen.any():
            print(f"confidence {low:.1f} to {low + 0.2:.1f}: {chosen.sum()} units, {(every[chosen, 1] >= GOOD).mean():.0%} good")


main()
