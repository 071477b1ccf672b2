#!/usr/bin/env python3
"""Where a model that reads translations looked when it chose a form of address, by its traces: docs/research/reading-context.md.

Cases are the test segments whose form is right behind the human translations, and wrong both behind those of another document and
without any, though the segment before has it. Each becomes a PO file of the six segments before, with their translations, and
itself, which is translated and traced. Told is where the last decoder layer looked at the first word of address: how much of what
it read of the translations lies in words of address, which share of their tokens these are, and whether the sentence that used
one last has the largest weight.

usage: address_cases.py FOLDER CORPUS MODEL OUT AT_WORK WRONG ALONE, with forms.py in FOLDER, CORPUS of `canopy corpus import po`, and
the hypotheses of `canopy evaluate --confirmed-history`, `--wrong-context` (of MODEL), and those of a model without context."""
import json
import pathlib
import re
import statistics
import subprocess
import sys

CANOPY = "target/release/canopy"
BEFORE, READ = 6, 3
ADDRESS = re.compile(r"([Dd](u|ich|ir|ein(e[rnms]?)?)|[Ii]hr|[Ee]uch|[Ee]uer|[Ee]ure[rnms]?)")


def cases(form, corpus, hypotheses):
    number = 0
    for line in open(corpus / "test.jsonl", encoding="utf8"):
        units = [unit for paragraph in json.loads(line)["paragraphs"] for unit in paragraph["units"]]
        for place, unit in enumerate(units):
            if unit["status"] == "identical":
                continue
            here, number = number, number + 1
            said = form(unit["source"], unit["target"])
            before = place and form(units[place - 1]["source"], units[place - 1]["target"])
            found = [form(unit["source"], lines[here]) == said for lines in hypotheses]
            if said and before == said and found == [True, False, False]:
                yield units[max(0, place - BEFORE):place + 1]


def catalogue(units):
    quoted = lambda text: json.dumps(text, ensure_ascii=False)
    entries = ['msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: de\\n"\n']
    for number, unit in enumerate(units):
        target = "" if unit is units[-1] else unit["target"]
        entries.append(f'msgctxt "{number}"\nmsgid {quoted(unit["source"])}\nmsgstr {quoted(target)}\n')
    return "\n".join(entries)


def address_words(tokens):
    """The first token of each word of address, and all of its tokens."""
    words = []
    for place, token in enumerate(tokens):
        begins = token.startswith("▁") or not words or not token[0].isalnum()
        if begins:
            words.append(["", []])
        words[-1][0] += token.lstrip("▁")
        words[-1][1].append(place)
    return [places for word, places in words if ADDRESS.fullmatch(word)]


def weighed(trace):
    """Of the first word of address in what was translated; nothing if there is none, or none to read."""
    target, last = trace["target"], trace["source"][-1]["paragraph"]
    starts = [0]
    for sentence in target:
        starts.append(starts[-1] + len(sentence["tokens"]))
    of_row = [number for number, sentence in enumerate(target) for _ in sentence["tokens"]]
    address = {starts[number] + place for number, sentence in enumerate(target)
               for places in address_words(sentence["tokens"]) for place in places}
    maps = [it for it in trace["maps"] if it["kind"] == "decoder_context"]
    maps = [it for it in maps if it["layer"] == max(other["layer"] for other in maps)]
    for number, sentence in enumerate(trace["source"]):
        own = address_words(target[number]["tokens"])
        first = max(0, number - READ)
        there = [row for row in address if starts[first] <= row < starts[number]]
        if sentence["paragraph"] != last or not own or not there:
            continue
        weights = {}
        for it in maps:
            for row, weight in it["rows"][starts[number] + own[0][0]].get("words", []):
                weights[row] = weights.get(row, 0) + weight / len(maps)
        whole = sum(weights.values())
        by_sentence = {other: sum(weight for row, weight in weights.items() if of_row[row] == other)
                       for other in range(first, number)}
        return {"read": whole, "in_address": sum(weights.get(row, 0) for row in address) / whole,
                "are_address": len(there) / (starts[number] - starts[first]),
                "decides": max(by_sentence, key=by_sentence.get) == of_row[max(there)]}
    return None


def main(folder, corpus, model, out, *hypotheses):
    sys.path.insert(0, folder)
    from forms import form
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    hypotheses = [open(path, encoding="utf8").read().split("\n") for path in hypotheses]
    found, texts = [], set()
    for number, units in enumerate(cases(form, pathlib.Path(corpus), hypotheses)):
        source, trace = out / f"{number}.po", out / f"{number}.json"
        source.write_text(catalogue(units), encoding="utf8")
        texts.add(source.read_text(encoding="utf8"))
        subprocess.run([CANOPY, "translate", source, "--model", model, "--from", "en", "--to", "de", "--trace", trace, "-o",
                        out / f"{number}.de.po", "--force"], check=True, stderr=subprocess.DEVNULL)
        case = weighed(json.loads(trace.read_text(encoding="utf8")))
        print(number, case or "no word of address, or none to read", flush=True)
        found += [case] if case else []
    mean = lambda name: statistics.mean(case[name] for case in found)
    print(f"{len(found)} of {number + 1} cases ({len(texts)} different): {mean('read'):.3f} of the attention is to translations before; "
          f"{mean('in_address'):.3f} of that in words of address, which are {mean('are_address'):.3f} of their tokens (more than their "
          f"share in {sum(case['in_address'] > case['are_address'] for case in found)}); the sentence that used one last has most in "
          f"{sum(case['decides'] for case in found)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
