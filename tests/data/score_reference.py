"""The numbers that `tests/metrics` expects.

`score_reference.py expect` writes `score/expected.json`: scores of sacrebleu 2.6.0, METEOR of NLTK 3.10 with an empty
set of synonyms. `score_reference.py alter` writes the translations from the references again; the numbers change then.
"""
import json
import logging
import random
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "score"


def lines(name):
    return (FOLDER / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")


def altered(texts, rate, seed):
    """Drops, repeats, moves and changes about `rate` of all words; a few lines become empty."""
    chance = random.Random(seed)
    words = [word for text in texts for word in text.split()]

    def alter(text):
        if chance.random() < rate / 20:
            return ""
        out = []
        for word in text.split():
            draw = chance.random() / rate
            if draw > 1:
                out.append(word)
            elif draw > 0.75:
                out.append(chance.choice(words))
            elif draw > 0.6:
                out.append(word.swapcase())
            elif draw > 0.45:
                out.append(word[: max(1, len(word) - 2)])
            elif draw > 0.3:
                out += [word, word]
        if len(out) > 4 and chance.random() < rate * 2:
            start, end = sorted(chance.sample(range(len(out)), 2))
            phrase = out[start:end]
            del out[start:end]
            place = chance.randrange(len(out) + 1)
            out[place:place] = phrase
        return " ".join(out)

    return [alter(text) for text in texts]


def alter():
    for name, of, rate, seed in [
        ("reference2.de", "reference.de", 0.1, 1),
        ("system-a.de", "reference.de", 0.3, 2),
        ("system-b.de", "reference.de", 0.27, 3),
        ("system-a.en", "reference.en", 0.3, 4),
        ("system-b.en", "reference.en", 0.15, 5),
    ]:
        text = "\n".join(altered(lines(of), rate, seed)) + "\n"
        (FOLDER / name).write_text(text, encoding="utf-8")


def expect():
    import nltk
    import sacrebleu
    from nltk.stem.porter import PorterStemmer
    from nltk.stem.snowball import SnowballStemmer
    from nltk.translate.meteor_score import meteor_score
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    class NoSynonyms:
        def synsets(self, _):
            return []

    logging.disable(logging.WARNING)
    tokenizers = ["13a", "intl", "char", "none", "zh"]
    metrics = {
        **{f"bleu {tok}": BLEU(tokenize=tok) for tok in tokenizers},
        "bleu 13a lowercase": BLEU(lowercase=True),
        "bleu none-smoothing": BLEU(smooth_method="none"),
        "bleu floor": BLEU(smooth_method="floor"),
        "bleu add-k 0.5": BLEU(smooth_method="add-k", smooth_value=0.5),
        "bleu effective": BLEU(effective_order=True),
        "chrf": CHRF(),
        "chrf++": CHRF(word_order=2),
        "chrf other": CHRF(char_order=4, word_order=1, beta=1, lowercase=True),
        "chrf whitespace": CHRF(whitespace=True),
        "chrf eps": CHRF(word_order=2, eps_smoothing=True),
        "ter": TER(),
        "ter case": TER(case_sensitive=True),
        "ter normalized": TER(normalized=True),
        "ter no-punct": TER(no_punct=True),
        "ter asian": TER(normalized=True, asian_support=True),
        "ter asian no-punct": TER(normalized=True, asian_support=True, no_punct=True),
    }
    sets = {
        "german": ("system-a.de", ["reference.de"]),
        "two references": ("system-b.de", ["reference.de", "reference2.de"]),
        "english": ("system-b.en", ["reference.en"]),
        "odd": ("odd.hyp", ["odd.ref"]),
    }
    expected = {"sacrebleu": sacrebleu.__version__, "nltk": nltk.__version__, "sets": {}}
    stemmers = {"english": PorterStemmer(), "german": SnowballStemmer("german")}
    languages = {"german": "german", "two references": "german", "english": "english", "odd": "english"}
    words = lambda text: Tokenizer13a()(text.rstrip()).split()
    for name, (hypothesis, references) in sets.items():
        texts, refs = lines(hypothesis), [lines(reference) for reference in references]
        entry = {"hypothesis": hypothesis, "references": references, "scores": {}}
        for metric_name, metric in metrics.items():
            score = metric.corpus_score(texts, refs)
            signature = str(metric.get_signature()).rsplit("|", 1)[0]
            segments = [
                metric.sentence_score(text, list(of)).score for text, of in zip(texts, zip(*refs))
            ]
            entry["scores"][metric_name] = {
                "score": score.score,
                "signature": signature,
                "segments": [round(score, 6) for score in segments],
            }
        language = languages[name]
        scores = [
            100 * meteor_score([words(ref) for ref in of], words(text), stemmer=stemmers[language], wordnet=NoSynonyms())
            for text, of in zip(texts, zip(*refs))
        ]
        entry["meteor"] = {
            "language": language,
            "score": sum(scores) / len(scores),
            "segments": [round(score, 6) for score in scores],
        }
        expected["sets"][name] = entry
    (FOLDER / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    {"alter": alter, "expect": expect}[sys.argv[1]]()
