"""Makes random models of T5 as GGUF files of a few kilobytes, and what llama.cpp computes with them: `tests/t5.rs`.

usage: t5.py FOLDER (needs PyPI `gguf` 0.19 and `xllamacpp` 2026.10.11549)

`t5-1.0.gguf` has ReLU and its output from its embeddings, which llama.cpp does not divide by √d_model; `t5-1.1.gguf` and, in
8 bits, `t5-1.1-q8.gguf` have a gated GELU and an output of their own, as MADLAD-400 has. Pieces are those of `folders/madlad`.
llama.cpp opens no model whose decoder has more layers than its encoder."""
import json
import sys
from pathlib import Path

import gguf
import numpy
from llama_cpp import Context, Model

HERE = Path(__file__).parent
PIECES = json.loads((HERE / "folders/madlad/tokenizer.json").read_text())["model"]["vocab"]
D_MODEL, HEADS, D_HEAD, HIDDEN, LAYERS, BUCKETS, CONTEXT = 32, 4, 8, 64, 2, 32, 512
TEXTS = [
    "<2pt> The bank by the river.",
    "<2de> the  key costs 25 euros",
    "The river is wide and the bank is steep. The key costs more than the table. " * 4,
    "Ω bank € é",
]
TOKENS = 16


def tensors(gated, seed):
    random, found = numpy.random.default_rng(seed), {}

    def put(name, *shape, scale):
        found[f"{name}.weight"] = (random.standard_normal(shape) * scale).astype(numpy.float32)

    def put_norm(name):
        found[f"{name}.weight"] = (1 + 0.2 * random.standard_normal(D_MODEL)).astype(numpy.float32)

    put("shared", len(PIECES), D_MODEL, scale=1.0)
    if gated:
        put("lm_head", len(PIECES), D_MODEL, scale=0.3)
    width = HEADS * D_HEAD
    for half in ("encoder", "decoder"):
        for number in range(LAYERS):
            layer = f"{half}.block.{number}.layer"
            attentions = ["SelfAttention", "EncDecAttention"][: 1 if half == "encoder" else 2]
            for place, attention in enumerate(attentions):
                for part, scale in (("q", 0.35), ("k", 1.0), ("v", 1.0)):
                    put(f"{layer}.{place}.{attention}.{part}", width, D_MODEL, scale=scale * D_MODEL**-0.5)
                put(f"{layer}.{place}.{attention}.o", D_MODEL, width, scale=width**-0.5)
                put_norm(f"{layer}.{place}.layer_norm")
            if number == 0:
                put(f"{layer}.0.SelfAttention.relative_attention_bias", BUCKETS, HEADS, scale=1.0)
            last = len(attentions)
            for part in ["wi_0", "wi_1"] if gated else ["wi"]:
                put(f"{layer}.{last}.DenseReluDense.{part}", HIDDEN, D_MODEL, scale=D_MODEL**-0.5)
            put(f"{layer}.{last}.DenseReluDense.wo", D_MODEL, HIDDEN, scale=HIDDEN**-0.5)
            put_norm(f"{layer}.{last}.layer_norm")
        put_norm(f"{half}.final_layer_norm")
    return found


def write(path, found, in_bytes):
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.T5, LAYERS)
    file = gguf.GGUFWriter(path, "t5")
    file.add_name("random T5")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(D_MODEL)
    file.add_feed_forward_length(HIDDEN)
    file.add_block_count(LAYERS)
    file.add_decoder_block_count(LAYERS)
    file.add_head_count(HEADS)
    file.add_key_length(D_HEAD)
    file.add_value_length(D_HEAD)
    file.add_relative_attn_buckets_count(BUCKETS)
    file.add_layer_norm_eps(1e-6)
    file.add_layer_norm_rms_eps(1e-6)
    file.add_decoder_start_token_id(0)
    file.add_tokenizer_model("t5")
    file.add_tokenizer_pre("default")
    file.add_token_list([piece for piece, _ in PIECES])
    file.add_token_scores([score for _, score in PIECES])
    file.add_token_types([2, 3, 3, 4, 4] + [1] * (len(PIECES) - 5))
    file.add_add_space_prefix(True)
    file.add_remove_extra_whitespaces(True)
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_unk_token_id(0)
    file.add_pad_token_id(1)
    file.add_add_bos_token(False)
    file.add_add_eos_token(True)
    for name, numbers in found.items():
        own = names.get_name(name, try_suffixes=(".weight",))
        kind = gguf.GGMLQuantizationType.Q8_0
        if in_bytes and numbers.ndim == 2 and "relative" not in name:
            file.add_tensor(own, gguf.quantize(numbers, kind), raw_dtype=kind)
        else:
            file.add_tensor(own, numbers)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


folder, expected = Path(sys.argv[1]), {}
for name, gated, in_bytes, seed in [("t5-1.0", False, False, 5), ("t5-1.1", True, False, 1), ("t5-1.1-q8", True, True, 1)]:
    path = str(folder / f"{name}.gguf")
    write(path, tensors(gated, seed), in_bytes)
    model = Model(path)
    context = Context(model)
    expected[name] = []
    for text in TEXTS:
        source = model.ids(text)
        target = numpy.random.default_rng(len(source)).integers(3, len(PIECES), TOKENS).tolist()
        logits = context.answered(source, target)
        likeliest = logits.argmax(1).tolist()
        # Those of the first token, and of the last one.
        logits = [[round(float(it), 4) for it in logits[place]] for place in (0, -1)]
        row = {"text": text, "source": source, "target": target, "likeliest": likeliest, "logits": logits}
        expected[name].append(row)
        print(name, len(source), likeliest)
    context.close()
    model.close()
rows = {name: "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]" for name, rows in expected.items()}
text = "{\n" + ",\n".join(f'"{name}": {row}' for name, row in rows.items()) + "\n}\n"
(folder / "t5.json").write_text(text, encoding="utf8")
