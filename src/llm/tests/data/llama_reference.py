"""Ids of prompts and greedy continuations by llama.cpp: the reference of `tests/greedy.rs`.

usage: llama_reference.py MODEL.gguf prompts.json OUTPUT.json (needs PyPI `xllamacpp`)"""
import json
import sys
import urllib.request

import xllamacpp

model, prompts, output = sys.argv[1:]
TOKENS = 64

parameters = xllamacpp.CommonParams()
parameters.model.path = model
parameters.n_ctx = 2048
parameters.n_parallel = 1
parameters.n_gpu_layers = 0
# Its flash attention sums values in half floats.
parameters.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
# One thread: llama.cpp waits busily for others.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)


def ask(place, body):
    request = urllib.request.Request(
        server.listening_address + place, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


rows = []
for prompt in json.load(open(prompts, encoding="utf8")):
    prompt_ids = ask("/tokenize", {"content": prompt, "add_special": True, "parse_special": True})["tokens"]
    # Ids as the prompt: the server would otherwise be free to tokenize it in another way.
    answer = ask(
        "/completion",
        {"prompt": prompt_ids, "n_predict": TOKENS, "temperature": 0, "cache_prompt": False, "return_tokens": True},
    )
    rows.append({"prompt": prompt_ids, "continuation": answer["tokens"]})
    print(len(prompt_ids), len(answer["tokens"]), repr(answer["content"][:60]), flush=True)
with open(output, "w", encoding="utf8") as file:
    file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
