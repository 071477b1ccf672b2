"""What Marian translates with list.bin, sentence by sentence, by marian-native-align-1 of ../shared/models: marian.json. Needs pymarian.

list.bin is of `canopy model shortlist --per-word 5 --frequent 30` and the first 8,000 pairs of the dialogues of games.
usage: make.py MODEL"""
import json
import pathlib
import sys

from pymarian import Translator

here, model = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
rows = json.loads((model / "expected.json").read_text())["rows"]


def translated(beam, options):
    translator = Translator(f"--config {model}/decoder.yml --beam-size {beam} --cpu-threads 1 --mini-batch 1 --quiet {options}")
    return [translator.translate([" ".join(row["pieces"])])[0] for row in rows]


found = {
    "pieces": [row["pieces"] for row in rows],
    **{f"beam {beam}": translated(beam, f"--shortlist {here}/list.bin 1") for beam in (1, 4)},
}
(here / "marian.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
