"""Reads what a model attended to, as Canopy records it (`canopy translate PAGE --trace page.trace`).

One file of plain Python, version 3.9 or newer, for the binary form (`.trace`) and for JSON. Rows of a binary file are read on
demand, so that a trace may be larger than memory.

    import canopy_trace
    trace = canopy_trace.open("page.trace")
    for info in trace.maps:
        print(info["kind"], info["layer"], info["head"], trace.num_rows(info))
    row = trace.find("context", layer=2, head=0)[trace.word_row("source", sentence=3, word=0)]
    for sentence in row.sentences:
        print(sentence.sentence, sentence.weight, sentence.relevance, sentence.cumulative)

Everything counts from 0. A map is one head of one layer: its `queries` have a row each, in order; what its `keys` are stands in
`Row.words` (number of the word on its side, weight) or `Row.sentences`. Weights and `Row.rest` sum to 1, or to 0 for a query that may
see nothing. `Row.visits` is the way down a content tree. docs/reference/files.md describes all fields; JSON files explain them under `about`.

As a program it prints, for each word of a sentence, the sentences that were read most:

    python canopy_trace.py page.trace 3
"""
import collections
import json
import math
import struct
import sys

MAGIC = b"\x89CANOPYT"
VERSION = 1

Sentence = collections.namedtuple("Sentence", "sentence weight relevance cumulative")
Visit = collections.namedtuple("Visit", "level node relevance cumulative kept")
Row = collections.namedtuple("Row", "sentences words rest tree visits")


class TraceError(ValueError):
    """A file is no trace, of another version, or damaged."""


def fnv1a(data):
    """Fowler, Noll & Vo's hash of 32 bits."""
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def level_sizes(leaves):
    """Numbers of nodes on each level of a content tree, the leaves first."""
    sizes = [leaves]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes


class Trace:
    """What both forms tell.

    `document`, `source_language`, `target_language`, `model`, `sections`, `source`, `target`, `trees` and `gates` are as the file has them;
    `maps` are the descriptions of all maps, without their rows.
    """

    def __init__(self, overview, maps):
        self.overview = overview
        self.maps = maps

    def __getattr__(self, name):
        if name.startswith("_") or name not in self.overview:
            raise AttributeError(name)
        return self.overview[name]

    def sentences(self, side):
        """Sentences of a side, `source` or `target`: dictionaries with `tokens` and `text`."""
        return self.overview[side]

    def num_rows(self, info):
        """Rows of a map."""
        return self._count(info["queries"])

    def word_row(self, side, sentence, word):
        """The row of a word, by its place in its sentence."""
        return sum(len(it["tokens"]) for it in self.sentences(side)[:sentence]) + word

    def find(self, kind, layer, head):
        """The rows of a map, such as `("context", 2, 0)`; a KeyError if the trace has no such map."""
        for number, info in enumerate(self.maps):
            if (info["kind"], info["layer"], info["head"]) == (kind, layer, head):
                return Map(self, number)
        raise KeyError(f"no map {kind}, layer {layer}, head {head}")

    def row(self, number, row):
        """A row of the map with this number."""
        raise NotImplementedError

    def _count(self, units):
        side, what = units.split("_")
        sentences = self.sentences(side)
        return len(sentences) if what == "sentences" else sum(len(it["tokens"]) for it in sentences)


class Map:
    """Rows of one map: `len(map)`, `map[row]`, `for row in map`."""

    def __init__(self, trace, number):
        self.trace, self.number, self.info = trace, number, trace.maps[number]

    def __len__(self):
        return self.trace.num_rows(self.info)

    def __getitem__(self, row):
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self.trace.row(self.number, row)


class JsonTrace(Trace):
    """A trace in JSON, which is in memory as a whole."""

    def __init__(self, found):
        maps = found.pop("maps")
        super().__init__(found, [{key: value for key, value in it.items() if key != "rows"} for it in maps])
        self._rows = [it["rows"] for it in maps]

    def row(self, number, row):
        found = self._rows[number][row]
        sentences = [Sentence(it["sentence"], it["weight"], it.get("relevance"), it.get("cumulative")) for it in found.get("sentences", [])]
        words = [tuple(it) for it in found.get("words", [])]
        visits = [Visit(*it) for it in found.get("visits", [])]
        return Row(sentences, words, found["rest"], found.get("tree", 0), visits)


class BinaryTrace(Trace):
    """A binary trace, whose rows stay on disk."""

    def __init__(self, path):
        self._file = open_file(path, "rb")
        fixed = self._file.read(32)
        if len(fixed) < 32 or fixed[:8] != MAGIC:
            raise TraceError(f"{path} is no binary trace")
        version, checksum, header, rows = struct.unpack("<IIQQ", fixed[8:])
        if version != VERSION:
            raise TraceError(f"{path} is of version {version}; this program reads {VERSION}")
        rest = self._file.read(header + 8 * (rows + 1))
        if len(rest) != header + 8 * (rows + 1) or fnv1a(fixed[16:] + rest) != checksum:
            raise TraceError(f"{path} is damaged")
        overview, maps = json.loads(rest[:header])
        super().__init__(overview, maps)
        self._offsets = struct.unpack(f"<{rows + 1}Q", rest[header:])
        self._first = [0]
        for info in maps:
            self._first.append(self._first[-1] + self.num_rows(info))
        if self._first[-1] != rows:
            raise TraceError(f"{path} has {rows} rows, not {self._first[-1]}")

    def row(self, number, row):
        at = self._first[number] + row
        self._file.seek(self._offsets[at])
        data = self._file.read(self._offsets[at + 1] - self._offsets[at])
        if len(data) < 20 or fnv1a(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
            raise TraceError(f"row {row} of map {number} is damaged")
        return self._decoded(data)

    def _decoded(self, data):
        num_sentences, num_words, num_visits, rest = struct.unpack_from("<IIIf", data)
        at = 16
        known = lambda score: None if math.isnan(score) else score
        sentences = []
        for _ in range(num_sentences):
            sentence, weight, relevance, cumulative = struct.unpack_from("<Ifff", data, at)
            sentences.append(Sentence(sentence, weight, known(relevance), known(cumulative)))
            at += 16
        words = [struct.unpack_from("<If", data, at + 8 * number) for number in range(num_words)]
        at += 8 * num_words
        if num_visits == 0:
            return Row(sentences, words, rest, 0, [])
        tree, form = struct.unpack_from("<IB", data, at)
        at += 5
        if form == 1:
            relevance = struct.unpack_from(f"<{num_visits}f", data, at)
            bits = data[at + 4 * num_visits:]
            kept = [bool(bits[number // 8] >> number % 8 & 1) for number in range(num_visits)]
            visits = self._walked(tree, relevance, kept)
        else:
            visits = [struct.unpack_from("<BIffB", data, at + 14 * number) for number in range(num_visits)]
            visits = [Visit(*it[:4], bool(it[4])) for it in visits]
        return Row(sentences, words, rest, tree, visits)

    def _walked(self, tree, relevance, kept):
        """All visits from those of the root on: below each node that was kept both children were looked at."""
        sizes = level_sizes(len(self.overview["trees"][tree]["leaves"]))
        levels, candidates, number = [], [(0, 0.0)], 0
        for level in reversed(range(len(sizes))):
            visits, children = [], []
            for node, above in candidates:
                cumulative = single(above + relevance[number])
                visits.append(Visit(level, node, relevance[number], cumulative, kept[number]))
                if kept[number] and level > 0:
                    children += [(child, cumulative) for child in (2 * node, 2 * node + 1) if child < sizes[level - 1]]
                number += 1
            levels.append(visits)
            candidates = children
        return [visit for visits in reversed(levels) for visit in visits]


def single(number):
    """A number rounded to 32 bits, as the program adds."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


open_file = open


def open(path):
    """The trace at `path`, binary or JSON; a TraceError if it is neither."""
    with open_file(path, "rb") as file:
        if file.read(len(MAGIC)) == MAGIC:
            return BinaryTrace(path)
    try:
        with open_file(path, encoding="utf-8") as file:
            found = json.load(file)
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != "canopy trace":
        raise TraceError(f"{path} is no trace of Canopy")
    if found.get("version") != VERSION:
        raise TraceError(f"{path} is of version {found.get('version')}; this program reads {VERSION}")
    return JsonTrace(found)


def main():
    path, sentence = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    trace = open(path)
    maps = [number for number, info in enumerate(trace.maps) if info["kind"] in ("context", "decoder_context")]
    if not maps:
        sys.exit("the model reads each sentence by itself: there is no attention to others")
    number = maps[-1]
    side = trace.maps[number]["queries"].split("_")[0]
    print(trace.sentences(side)[sentence]["text"])
    first = trace.word_row(side, sentence, 0)
    for word, token in enumerate(trace.sentences(side)[sentence]["tokens"]):
        read = sorted(trace.row(number, first + word).sentences, key=lambda it: -it.weight)[:4]
        listed = ", ".join(f"{it.sentence + 1} ({it.weight:.2f})" for it in read)
        print(f"  {token.replace(chr(0x2581), ' ').strip():12} reads {listed}")


if __name__ == "__main__":
    main()
