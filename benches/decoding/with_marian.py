"""Marian on the weights of a Canopy model: what `cargo bench --bench decoding -- marian` compares with.

Arguments and answers as those of with_ctranslate2.py, on the CPU alone. Needs pymarian, numpy, safetensors. Marian adds sinusoids of
other wavelengths and begins with a vector of zeros, so that its translations are others; they are as long, and cost as much.
With int8 the layers' products are intgemm's, by a file as `marian-conv --gemm-type intgemm8` writes it; the product with the
embedding stays in float32, as there.
"""
import json
import os
import struct
import sys
import tempfile
import time

import numpy as np
import pymarian
from safetensors.numpy import load_file

UNK, EOS = 1, 3


INT8, FLOAT32, INTGEMM8 = 0x101, 0x404, 0x10001


def item(name, array):
    """Type and bytes of an array in Marian's binary file: weights of a layer as integers of 8 bits, turned, with their factor behind them."""
    if name[-3:-1] == "_W":
        factor = np.float32(127) / np.abs(array).max()
        kind, data = INTGEMM8, np.rint(array.T * factor).astype(np.int8).tobytes() + struct.pack("<f", factor)
    else:
        kind, data = INT8 if array.dtype == np.int8 else FLOAT32, array.tobytes()
    return kind, data + bytes(-len(data) % 256)


def write_binary(path, arrays):
    """Version 1 of Marian's binary file: headers, names and shapes, then the arrays, each from a multiple of 256 bytes on."""
    items = [(name.encode() + b"\0", array.shape, *item(name, array)) for name, array in arrays.items()]
    head = struct.pack("<QQ", 1, len(items))
    head += b"".join(struct.pack("<4Q", len(name), kind, len(shape), len(data)) for name, shape, kind, data in items)
    head += b"".join(name for name, *_ in items)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, shape, *_ in items)
    padding = -(len(head) + 8) % 256
    with open(path, "wb") as file:
        file.write(head + struct.pack("<Q", padding) + bytes(padding))
        file.writelines(data for *_, data in items)


def exported(weights, config, folder):
    """Writes model.npz, model.bin with weights of 8 bits, and vocab.yml into a folder."""
    groups = config["encoder"].split("-")
    if set(groups) != {"sf"}:
        raise SystemExit("Marian has no encoder groups but self-attention with a feed-forward layer")
    root = next(name for name in weights if name.endswith("embedding.words") and "target" not in name)[: -len("embedding.words")]
    get = lambda name: weights[root + name].astype(np.float32)
    arrays = {"Wemb": get("embedding.words"), "decoder_ff_logit_out_b": np.zeros((1, config["vocab_size"]), np.float32)}

    def linear(name, to, weight, bias):
        arrays[to + weight] = get(name + ".weight")
        bias_of = root + name + ".bias"
        width = arrays[to + weight].shape[1]
        arrays[to + bias] = weights[bias_of].reshape(1, -1).astype(np.float32) if bias_of in weights else np.zeros((1, width), np.float32)

    def norm(name, to):
        arrays[to + "_ln_scale"], arrays[to + "_ln_bias"] = get(name + ".gamma").reshape(1, -1), get(name + ".beta").reshape(1, -1)

    def attention(name, of_norm, to):
        for part, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
            linear(f"{name}.{part}", to, "_W" + letter, "_b" + letter)
        norm(of_norm, to + "_Wo")

    def feed_forward(name, of_norm, to):
        linear(name + ".inner", to, "_W1", "_b1")
        linear(name + ".outer", to, "_W2", "_b2")
        norm(of_norm, to + "_ffn")

    for layer in range(len(groups)):
        first, second = (f"encoder.sublayers.{2 * layer + number}" for number in (0, 1))
        attention(first + ".attention", first + ".norm", f"encoder_l{layer + 1}_self")
        feed_forward(second + ".feed_forward", second + ".norm", f"encoder_l{layer + 1}_ffn")
    for layer in range(config["num_decoder_layers"]):
        name, to = f"decoder.layers.{layer}.", f"decoder_l{layer + 1}_"
        attention(name + "self_attention", name + "norm_self", to + "self")
        attention(name + "cross_attention", name + "norm_cross", to + "context")
        feed_forward(name + "feed_forward", name + "norm_ff", to + "ffn")
    vocab = config["vocab_size"]
    description = {
        "type": "transformer", "dim-emb": config["d_model"], "dim-vocabs": [vocab, vocab], "enc-depth": len(groups),
        "dec-depth": config["num_decoder_layers"], "transformer-heads": config["num_heads"],
        "transformer-dim-ffn": arrays["encoder_l1_ffn_W1"].shape[1], "transformer-ffn-depth": 2, "transformer-ffn-activation": "relu",
        "transformer-preprocess": "", "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
        "transformer-decoder-autoreg": "self-attention", "tied-embeddings-all": True, "version": f"v{pymarian.__version__}",
    }
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in description.items())
    arrays["special:model.yml"] = np.frombuffer(text.encode() + b"\0", np.int8)
    np.savez(os.path.join(folder, "model.npz"), **arrays)
    write_binary(os.path.join(folder, "model.bin"), arrays)
    names = {UNK: "<unk>", EOS: "</s>"}
    with open(os.path.join(folder, "vocab.yml"), "w") as file:
        file.writelines(f'"{names.get(id, id)}": {id}\n' for id in range(vocab))


def main():
    weights, config = load_file(sys.argv[1]), json.load(open(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        exported(weights, config, folder)
        vocab = os.path.join(folder, "vocab.yml")
        models = {}
        for line in sys.stdin:
            request = json.loads(line)
            sentences, beam, length = request["sentences"], request["beam"], request["length"]
            # A batch on each core; one sentence has one.
            threads = min(os.cpu_count(), len(sentences))
            key = request["type"], beam, threads
            if key not in models:
                factor = length / (len(sentences[0]) + 1)
                model = os.path.join(folder, {"float32": "model.npz", "int8": "model.bin"}[request["type"]])
                models[key] = pymarian.Translator(
                    f"--models {model} --vocabs {vocab} {vocab} --beam-size {beam} --normalize 1 --cpu-threads {threads} "
                    f"--mini-batch {request['batch']} --maxi-batch 100 --maxi-batch-sort src --max-length-factor {factor} --quiet")
            source = [" ".join(map(str, ids)) for ids in sentences]
            begun = time.perf_counter()
            found = models[key].translate(source)
            seconds = time.perf_counter() - begun
            ids = [[int(token) if token.isdigit() else UNK for token in text.split()] for text in found]
            print(json.dumps({"seconds": seconds, "tokens": sum(map(len, ids)), "ids": ids}), flush=True)


print(json.dumps({"marian": pymarian.__version__}), flush=True)
main()
