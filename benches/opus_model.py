"""A MarianMT folder of Hugging Face of OPUS-MT's base size (512/2048, 6 + 6 layers, 58,101 words), with random weights of 32 bits,
grown from a small folder of that format: to measure memory and start of models of other programs.
Arguments: the small folder (such as ../shared/models/marian-base-1) and the one to write. Needs numpy and safetensors.
"""
import json
import pathlib
import re
import shutil
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

D_MODEL, D_FF, HEADS, LAYERS, WORDS = 512, 2_048, 8, 6, 58_101


def grown(small, config):
    """The tensors of the small model in the sizes of the large one, each of its first layers six times."""
    sizes = {config["d_model"]: D_MODEL, config["encoder_ffn_dim"]: D_FF, config["vocab_size"]: WORDS}
    rng = np.random.default_rng(1)

    def tensor(name, shape):
        shape = [sizes.get(size, size) for size in shape]
        if len(shape) == 1 or shape[0] == 1:
            value = 1 if "norm.weight" in name else 0
            return np.full(shape, value, np.float32)
        return 0.05 * rng.standard_normal(shape, np.float32)

    for name, values in small.items():
        layer = re.match(r"(.*layers\.)(\d+)(\..*)", name)
        if layer is None:
            yield name, tensor(name, values.shape)
        elif layer[2] == "0":
            for number in range(LAYERS):
                yield f"{layer[1]}{number}{layer[3]}", tensor(name, values.shape)


def main():
    small, folder = map(pathlib.Path, sys.argv[1:3])
    folder.mkdir(parents=True)
    for name in ("source.spm", "target.spm", "tokenizer_config.json"):
        shutil.copyfile(small / name, folder / name)
    read = lambda name: json.loads((small / name).read_text())
    config, generation, vocabulary = read("config.json"), read("generation_config.json"), read("vocab.json")
    save_file(dict(grown(load_file(small / "model.safetensors"), config)), folder / "model.safetensors", {"format": "pt"})
    # The last word is the padding, before which made-up ones stand.
    last = config["vocab_size"] - 1
    padding = next(word for word, number in vocabulary.items() if number == last)
    vocabulary |= {f"▁word{number}": number for number in range(last, WORDS - 1)} | {padding: WORDS - 1}
    ends = dict.fromkeys(("pad_token_id", "decoder_start_token_id"), WORDS - 1)
    config |= ends | {"d_model": D_MODEL, "vocab_size": WORDS, "decoder_vocab_size": WORDS, "max_position_embeddings": 512}
    for side in ("encoder", "decoder"):
        config |= {f"{side}_layers": LAYERS, f"{side}_attention_heads": HEADS, f"{side}_ffn_dim": D_FF}
    written = {"config.json": config, "generation_config.json": generation | ends | {"bad_words_ids": [[WORDS - 1]]}, "vocab.json": vocabulary}
    for name, content in written.items():
        (folder / name).write_text(json.dumps(content))


main()
