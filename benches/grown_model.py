"""A larger model that computes what a trained one does, to be trained on: wider feed-forward layers and more encoder layers.

    python benches/grown_model.py MODEL NEW_MODEL [d_ff] [encoder layers to add]

New hidden units of a feed-forward layer have random weights in and none out (Chen et al. 2016, Net2Net), and so have the new layers
of the encoder. A norm behind a branch that gives nothing is not quite the identity: its γ and β are the deviation and the mean
that the rows of the layer before have on average.
"""

import json
import pathlib
import re
import shutil
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

old, new = map(pathlib.Path, sys.argv[1:3])
d_ff = int(sys.argv[3]) if len(sys.argv) > 3 else 2048
added = int(sys.argv[4]) if len(sys.argv) > 4 else 4
random = np.random.default_rng(1)
weights = {name: array.astype(np.float32) for name, array in load_file(old / "weights.safetensors").items()}
settings = (old / "model.toml").read_text()
d_model = int(re.search(r"^d_model = (\d+)", settings, re.M)[1])


def drawn(*shape):
    """Glorot & Bengio 2010."""
    bound = (6 / sum(shape)) ** 0.5
    return random.uniform(-bound, bound, shape).astype(np.float32)


def widen(prefix):
    inner, outer = weights[f"{prefix}.inner.weight"], weights[f"{prefix}.outer.weight"]
    more = d_ff - inner.shape[1]
    weights[f"{prefix}.inner.weight"] = np.hstack([inner, drawn(d_model, more)])
    weights[f"{prefix}.inner.bias"] = np.pad(weights[f"{prefix}.inner.bias"], (0, more))
    weights[f"{prefix}.outer.weight"] = np.vstack([outer, np.zeros((more, d_model), np.float32)])


for name in [name.removesuffix(".inner.weight") for name in weights if name.endswith("feed_forward.inner.weight")]:
    widen(name)

last = max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.sublayers."))
gamma, beta = (weights[f"encoder.sublayers.{last}.norm.{it}"] for it in ("gamma", "beta"))
mean = beta.mean()
deviation = np.sqrt((gamma**2 + beta**2).mean() - mean**2)
norm = {"gamma": np.full(d_model, deviation, np.float32), "beta": np.full(d_model, mean, np.float32)}
for layer in range(added):
    attention, forward = (f"encoder.sublayers.{last + 1 + 2 * layer + it}" for it in (0, 1))
    for it in ("query", "key", "value"):
        weights[f"{attention}.attention.{it}.weight"] = drawn(d_model, d_model)
    weights[f"{attention}.attention.output.weight"] = np.zeros((d_model, d_model), np.float32)
    weights[f"{forward}.feed_forward.inner.weight"] = drawn(d_model, d_ff)
    weights[f"{forward}.feed_forward.inner.bias"] = np.zeros(d_ff, np.float32)
    weights[f"{forward}.feed_forward.outer.weight"] = np.zeros((d_ff, d_model), np.float32)
    weights[f"{forward}.feed_forward.outer.bias"] = np.zeros(d_model, np.float32)
    for sublayer in (attention, forward):
        for it, values in norm.items():
            weights[f"{sublayer}.norm.{it}"] = values.copy()

new.mkdir()
for file in old.iterdir():
    if file.name not in ("weights.safetensors", "model.toml"):
        shutil.copy(file, new)
settings = re.sub(r"^d_ff = .*", f"d_ff = {d_ff}", settings, flags=re.M)
settings = re.sub(r'^encoder = "(.*)"', lambda it: f'encoder = "{it[1]}{"-sf" * added}"', settings, flags=re.M)
(new / "model.toml").write_text(settings)
save_file({name: array.astype(np.float16) for name, array in weights.items()}, new / "weights.safetensors")
print(f"{sum(array.size for array in weights.values()):,} parameters")
