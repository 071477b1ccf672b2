"""How often llama.cpp chooses other tokens than llama.cpp: each next token of the texts of `llama_reference.py`, by several of its
settings. Writes into the file where they disagree, and which tokens they choose there: `disputed` of `tests/greedy.rs`.

usage: llama_settings.py MODEL.gguf ROWS.json (needs PyPI `xllamacpp` 2026.10.11549)"""
import json
import sys

import numpy
from llama_cpp import F32, Context, Model

file, path = sys.argv[1:]
rows = json.load(open(path))
# Of the context, of the model, of the reading.
SETTINGS = {
    "prompt together, no flash attention": ({}, {}, {}),
    "all together": ({}, {}, {"all_together": True}),
    "prompt token by token": ({}, {}, {"prompt_together": False}),
    "flash attention": ({"flash_attention": True}, {}, {}),
    "flash attention, all together": ({"flash_attention": True}, {}, {"all_together": True}),
    "cache in 32 bits": ({"cache": F32}, {}, {}),
    "weights not repacked": ({}, {"repacks": False}, {}),
}
texts = numpy.concatenate([row["continuation"] for row in rows])
choices = {"the text": texts}
for name, (of_context, of_model, of_reading) in SETTINGS.items():
    model = Model(file, **of_model)
    context = Context(model, **of_context)
    found = [context.forced(row["prompt"], row["continuation"], **of_reading).argmax(1) for row in rows]
    choices[name] = numpy.concatenate(found)
    context.close()
    model.close()
    others = [int((choices[name] != other).sum()) for other in choices.values()]
    print(f"{name}: {others} of {len(texts)} are others than in each of the settings so far", flush=True)

place = 0
for row in rows:
    disputed = {}
    for index, token in enumerate(row["continuation"]):
        chosen = sorted({int(it[place]) for it in choices.values()})
        if chosen != [token]:
            disputed[index] = chosen
        place += 1
    row["disputed"] = disputed
with open(path, "w", encoding="utf8") as output:
    output.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
