"""Writes `tiny.gguf`: a Llama of one layer with random weights and a token for each byte, for tests of what is done with
its answers. usage: tiny.py tiny.gguf; needs PyPI's gguf and numpy"""

import sys

import gguf
import numpy

D_MODEL, D_HIDDEN, CONTEXT = 32, 32, 2048
TOKENS = ["<unk>", "<s>", "</s>", "▁"] + [f"<0x{byte:02X}>" for byte in range(256)]

writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_name("Tiny")
writer.add_license("CC0-1.0")
writer.add_block_count(1)
writer.add_context_length(CONTEXT)
writer.add_embedding_length(D_MODEL)
writer.add_feed_forward_length(D_HIDDEN)
writer.add_head_count(2)
writer.add_head_count_kv(1)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_tokenizer_model("llama")
writer.add_token_list(TOKENS)
writer.add_token_scores([0.0] * len(TOKENS))
writer.add_token_types([2, 3, 3, 1] + [6] * 256)
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)

random = numpy.random.default_rng(7)


def add(name, *shape):
    writer.add_tensor(name, random.normal(0.0, 0.5, shape).astype(numpy.float16))


add("token_embd.weight", len(TOKENS), D_MODEL)
writer.add_tensor("output_norm.weight", numpy.ones(D_MODEL, numpy.float32))
for norm in ["attn_norm", "ffn_norm"]:
    writer.add_tensor(f"blk.0.{norm}.weight", numpy.ones(D_MODEL, numpy.float32))
for name, rows in [("attn_q", D_MODEL), ("attn_k", D_MODEL // 2), ("attn_v", D_MODEL // 2), ("attn_output", D_MODEL)]:
    add(f"blk.0.{name}.weight", rows, D_MODEL)
for name, shape in [("gate", (D_HIDDEN, D_MODEL)), ("up", (D_HIDDEN, D_MODEL)), ("down", (D_MODEL, D_HIDDEN))]:
    add(f"blk.0.ffn_{name}.weight", *shape)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
