"""A model folder of the shape of an OPUS-MT base model, with random weights: to measure the memory and the start of a
translation. Arguments: the folder to write, and the number of words (default 8000; OPUS-MT has up to 58101).

Weights are in 16 bits, as models are shipped. The vocabulary is that of the shipped base model with made-up merges behind it.
Needs nothing but Python.
"""
import json
import pathlib
import random
import struct
import sys

D_MODEL, D_FF, LAYERS = 512, 2_048, 6
SHIPPED = pathlib.Path(__file__).parent.parent / "assets/models/help-en-de"


def tensors(vocab_size):
    """Name, shape and standard deviation of every tensor; for norms the value of all numbers."""
    yield "embedding.words", [vocab_size, D_MODEL], D_MODEL**-0.5

    def attention(name):
        for part in ("query", "key", "value", "output"):
            yield f"{name}.{part}.weight", [D_MODEL, D_MODEL], 0.0255

    def feed_forward(name):
        for part, sizes, deviation in (("inner", [D_MODEL, D_FF], 0.0255), ("outer", [D_FF, D_MODEL], 0.0128)):
            yield f"{name}.{part}.weight", sizes, deviation
            yield f"{name}.{part}.bias", sizes[1:], deviation

    def norm(name):
        yield f"{name}.gamma", [D_MODEL], 1
        yield f"{name}.beta", [D_MODEL], 0

    for layer in range(LAYERS):
        encoder = [f"encoder.sublayers.{2 * layer + sublayer}" for sublayer in (0, 1)]
        yield from attention(f"{encoder[0]}.attention")
        yield from norm(f"{encoder[0]}.norm")
        yield from feed_forward(f"{encoder[1]}.feed_forward")
        yield from norm(f"{encoder[1]}.norm")
        decoder = f"decoder.layers.{layer}"
        yield from attention(f"{decoder}.self_attention")
        yield from attention(f"{decoder}.cross_attention")
        yield from feed_forward(f"{decoder}.feed_forward")
        for part in ("norm_self", "norm_cross", "norm_ff"):
            yield from norm(f"{decoder}.{part}")


def write_weights(path, vocab_size, rng):
    header, end, parts = {}, 0, sorted(tensors(vocab_size))
    count = lambda shape: shape[0] * (shape[1] if len(shape) > 1 else 1)
    for name, shape, _ in parts:
        begin, end = end, end + 2 * count(shape)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [begin, end]}
    header = json.dumps(header).encode()
    header += b" " * (-len(header) % 8)
    # A pool of numbers for each deviation: drawing 70 million takes minutes.
    size = 1_000_003
    pools = {}
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for _, shape, deviation in parts:
            left = count(shape)
            if isinstance(deviation, int):
                file.write(struct.pack("<e", deviation) * left)
                continue
            if deviation not in pools:
                pools[deviation] = struct.pack(f"<{size}e", *(rng.gauss(0, deviation) for _ in range(size)))
            while left:
                first = rng.randrange(size)
                taken = min(left, size - first)
                file.write(pools[deviation][2 * first : 2 * (first + taken)])
                left -= taken


def write_vocabulary(path, vocab_size, rng):
    vocabulary = json.loads((SHIPPED / "vocabulary.json").read_text())
    tokens, merges = vocabulary["model"]["vocab"], vocabulary["model"]["merges"]
    # What a merge has made, beyond the special tokens and bytes.
    parts = [left + right for left, right in merges]
    while len(tokens) < vocab_size:
        pair = [rng.choice(parts), rng.choice(parts)]
        if "".join(pair) not in tokens:
            tokens["".join(pair)] = len(tokens)
            merges.append(pair)
    path.write_text(json.dumps(vocabulary, ensure_ascii=False))


def main():
    folder, vocab_size = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 8_000
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    write_weights(folder / "weights.safetensors", vocab_size, rng)
    write_vocabulary(folder / "vocabulary.json", vocab_size, rng)
    description = (SHIPPED / "model.toml").read_text()
    for old, new in (
        ("vocab_size = 8000", f"vocab_size = {vocab_size}"),
        ("d_model = 256", f"d_model = {D_MODEL}"),
        ("d_ff = 1024", f"d_ff = {D_FF}"),
        ("num_heads = 4", "num_heads = 8"),
        ('"s-sf-sf"', '"' + "-".join(["sf"] * LAYERS) + '"'),
        ("num_decoder_layers = 2", f"num_decoder_layers = {LAYERS}"),
    ):
        description = description.replace(old, new)
    (folder / "model.toml").write_text(description)


main()
