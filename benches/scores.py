"""The same scores and tests by sacrebleu: what `cargo bench --bench scores` compares with.

Reads a JSON file {"references": [line, …], "systems": [[line, …], …]}; prints seconds by task, and the scores of the
first system, as JSON. Needs sacrebleu.
"""
import json
import logging
import sys
import time

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

logging.disable(logging.CRITICAL)
texts = json.load(open(sys.argv[1]))
references, systems = [texts["references"]], texts["systems"]
secs, scores = {}, {}
for name, metric in [("BLEU", BLEU), ("chrF2", CHRF), ("chrF2++", lambda: CHRF(word_order=2)), ("TER", TER)]:
    begun = time.perf_counter()
    scores[name] = metric().corpus_score(systems[0], references).score
    secs[name] = time.perf_counter() - begun
named = [(str(number), lines) for number, lines in enumerate(systems)]
for name, test, samples in [("paired bootstrap", "bs", 1_000), ("approximate randomisation", "ar", 10_000)]:
    begun = time.perf_counter()
    PairedTest(named, {"BLEU": BLEU()}, references, test_type=test, n_samples=samples)()
    secs[name] = time.perf_counter() - begun
print(json.dumps({"secs": secs, "scores": scores}))
