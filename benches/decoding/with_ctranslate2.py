"""CTranslate2 on the weights of a Canopy model: what `cargo bench --bench decoding` compares with.

Arguments: a file of safetensors, a JSON file with num_heads, d_model, encoder (layout), num_decoder_layers and vocab_size,
`cpu` or `cuda`. Then one request a line on standard input, answered by one line: {"type": "float32", "beam": 4, "sentences": [[id,
…], …], "length": n or null} gives {"seconds": s, "tokens": n, "ids": [[…], …]}. Needs ctranslate2, numpy, safetensors.

An encoder group `s` without its `f` has no counterpart there: it gets a feed-forward layer of width 8 that adds nothing.
"""
import json
import os
import sys
import tempfile
import time

import numpy as np
import ctranslate2
from ctranslate2.specs import transformer_spec
from safetensors.numpy import load_file

PAD, UNK, BOS, EOS = range(4)


def exported(weights, config, folder):
    heads, d = config["num_heads"], config["d_model"]
    groups = config["encoder"].split("-")
    spec = transformer_spec.TransformerSpec.from_config((len(groups), config["num_decoder_layers"]), heads, pre_norm=False)
    root = next(name for name in weights if name.endswith("embedding.words") and "target" not in name)
    root = root[: -len("embedding.words")]
    get = lambda name: weights[root + name].astype(np.float32)

    def norm(to, name):
        to.gamma, to.beta = get(name + ".gamma"), get(name + ".beta")

    def linear(to, *names):
        to.weight = np.ascontiguousarray(np.concatenate([get(name + ".weight").T for name in names]))
        if root + names[0] + ".bias" in weights:
            to.bias = np.concatenate([get(name + ".bias") for name in names])

    def self_attention(to, name, of_norm):
        linear(to.linear[0], *(f"{name}.{part}" for part in ("query", "key", "value")))
        linear(to.linear[1], name + ".output")
        norm(to.layer_norm, of_norm)

    def feed_forward(to, name, of_norm):
        linear(to.linear_0, name + ".inner")
        linear(to.linear_1, name + ".outer")
        norm(to.layer_norm, of_norm)

    embedding = get("embedding.words")
    target = get("target_embedding.words") if root + "target_embedding.words" in weights else embedding
    places = np.arange(512)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    places = np.stack([np.sin(places), np.cos(places)], -1).reshape(512, d).astype(np.float32)
    for side, table in ((spec.encoder, embedding), (spec.decoder, target)):
        side.scale_embeddings = True
        side.position_encodings.encodings = places
    spec.encoder.embeddings[0].weight = embedding
    spec.decoder.embeddings.weight = target
    spec.decoder.projection.weight = get("logits") if root + "logits" in weights else target
    sublayer = 0
    for group, layer in zip(groups, spec.encoder.layer):
        if group not in ("s", "sf"):
            raise SystemExit(f"no counterpart of the group {group}")
        name = f"encoder.sublayers.{sublayer}"
        self_attention(layer.self_attention, name + ".attention", name + ".norm")
        sublayer += 1
        if group == "s":
            layer.ffn.linear_0.weight = np.zeros((8, d), np.float32)
            layer.ffn.linear_1.weight = np.zeros((d, 8), np.float32)
            layer.ffn.layer_norm.gamma, layer.ffn.layer_norm.beta = np.ones(d, np.float32), np.zeros(d, np.float32)
            continue
        name = f"encoder.sublayers.{sublayer}"
        feed_forward(layer.ffn, name + ".feed_forward", name + ".norm")
        sublayer += 1
    for number, layer in enumerate(spec.decoder.layer):
        name = f"decoder.layers.{number}."
        self_attention(layer.self_attention, name + "self_attention", name + "norm_self")
        cross = layer.attention
        linear(cross.linear[0], name + "cross_attention.query")
        linear(cross.linear[1], name + "cross_attention.key", name + "cross_attention.value")
        linear(cross.linear[2], name + "cross_attention.output")
        norm(cross.layer_norm, name + "norm_cross")
        feed_forward(layer.ffn, name + "feed_forward", name + "norm_ff")
    tokens = [str(number) for number in range(config["vocab_size"])]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = str(BOS), str(EOS), str(UNK)
    spec.config.decoder_start_token = str(BOS)
    spec.validate()
    spec.optimize()
    spec.save(folder)


def main():
    weights, config = load_file(sys.argv[1]), json.load(open(sys.argv[2]))
    device, cores = sys.argv[3], os.cpu_count()
    with tempfile.TemporaryDirectory() as folder:
        exported(weights, config, folder)
        # One batch on all cores, or a batch on each: whichever is faster is what counts.
        ways = [(1, cores), (cores, 1)] if device == "cpu" else [(1, 1)]
        models = {}
        for line in sys.stdin:
            request = json.loads(line)
            kind = request["type"]
            if kind not in models:
                models[kind] = [
                    ctranslate2.Translator(folder, device, compute_type=kind, inter_threads=inter, intra_threads=intra)
                    for inter, intra in ways
                ]
            source = [[str(id) for id in ids] + [str(EOS)] for ids in request["sentences"]]
            length = request["length"]
            limits = {"min_decoding_length": length, "max_decoding_length": length} if length else {"max_decoding_length": 256}
            ways_asked = models[kind] if len(source) > 1 else models[kind][:1]
            best, results = None, None
            for model in ways_asked:
                begun = time.perf_counter()
                # Rows of a step: as many as Canopy's batches have.
                found = model.translate_batch(
                    source, beam_size=request["beam"], max_batch_size=request["batch"], length_penalty=1, **limits)
                seconds = time.perf_counter() - begun
                if best is None or seconds < best:
                    best, results = seconds, found
            ids = [[int(token) for token in result.hypotheses[0]] for result in results]
            answer = {"seconds": best, "tokens": sum(len(it) + (length is None) for it in ids), "ids": ids}
            print(json.dumps(answer), flush=True)


print(json.dumps({"ctranslate2": ctranslate2.__version__}), flush=True)
main()
