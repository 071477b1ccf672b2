"""Makes the cases of this folder: tiny M2M-100, NLLB and mBART-50 models, and what transformers computes with them.

    pip install torch transformers sentencepiece safetensors
    python tests/interchange/multilingual/make.py tests/interchange/multilingual

The models learn twelve sentences for a few hundred updates, so that their translations end.
"""

import json
import sys
from pathlib import Path

import sentencepiece as spm
import torch
import transformers
from transformers import (
    M2M100Config,
    M2M100ForConditionalGeneration,
    M2M100Tokenizer,
    MBart50Tokenizer,
    MBartConfig,
    MBartForConditionalGeneration,
    NllbTokenizer,
)

TEXTS = [
    ("The house is small.", "Das Haus ist klein.", "La maison est petite."),
    ("We saw a green tree.", "Wir sahen einen grünen Baum.", "Nous avons vu un arbre vert."),
    ("Where is my book?", "Wo ist mein Buch?", "Où est mon livre ?"),
    ("She reads every evening.", "Sie liest jeden Abend.", "Elle lit chaque soir."),
    ("Open the file with care!", "Öffne die Datei mit Vorsicht!", "Ouvre le fichier avec soin !"),
    ("It costs 25 euros.", "Es kostet 25 Euro.", "Cela coûte 25 euros."),
    ("The trees are green and small.", "Die Bäume sind grün und klein.", "Les arbres sont verts et petits."),
    ("My book is in the house.", "Mein Buch ist im Haus.", "Mon livre est dans la maison."),
    ("Close the door.", "Schließe die Tür.", "Ferme la porte."),
    ("Every evening we see the house.", "Jeden Abend sehen wir das Haus.", "Chaque soir nous voyons la maison."),
]
# Not learnt: with a letter and a sign that no piece has.
UNKNOWN = "Where is the Ω house, 7 ☂?"

TINY = dict(
    d_model=16,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=2,
    decoder_attention_heads=2,
    encoder_ffn_dim=24,
    decoder_ffn_dim=24,
    max_position_embeddings=64,
    dropout=0.0,
    attention_dropout=0.0,
    activation_dropout=0.0,
    scale_embedding=True,
    bos_token_id=0,
    pad_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=2,
)


def pieces(folder, kind, size):
    """A SentencePiece model with the special pieces where those of fairseq's models have them."""
    sentences = [text for row in TEXTS for text in row]
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=size,
        model_type=kind,
        character_coverage=1.0,
        normalization_rule_name="identity",
        unk_id=0,
        bos_id=1,
        eos_id=2,
        pad_id=-1,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    (folder / "sentencepiece.bpe.vocab").unlink()
    return spm.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))


def m2m100(folder):
    model = pieces(folder, "bpe", 160)
    names = ["<s>", "<pad>", "</s>", "<unk>"] + [model.id_to_piece(i) for i in range(3, len(model))]
    vocab = {name: number for number, name in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False))
    tokenizer = M2M100Tokenizer(
        str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"), src_lang="en", tgt_lang="de"
    )
    config = M2M100Config(vocab_size=len(vocab) + 108, activation_function="relu", **TINY)
    return tokenizer, M2M100ForConditionalGeneration(config), ("en", "de", "fr"), tokenizer.get_lang_id


def nllb(folder):
    pieces(folder, "bpe", 150)
    # Real folders list two hundred; a folder without a list gives the tokenizer none.
    codes = ["ace_Arab", "deu_Latn", "eng_Latn", "fra_Latn", "zul_Latn"]
    languages = dict(src_lang="eng_Latn", tgt_lang="deu_Latn", extra_special_tokens=codes)
    tokenizer = NllbTokenizer.from_pretrained(folder, **languages)
    assert tokenizer.unk_token_id not in tokenizer.convert_tokens_to_ids(codes)
    config = M2M100Config(vocab_size=len(tokenizer), activation_function="relu", **TINY)
    model = M2M100ForConditionalGeneration(config)
    return tokenizer, model, ("eng_Latn", "deu_Latn", "fra_Latn"), tokenizer.convert_tokens_to_ids


def mbart50(folder):
    pieces(folder, "unigram", 150)
    tokenizer = MBart50Tokenizer.from_pretrained(folder, src_lang="en_XX", tgt_lang="de_DE")
    config = MBartConfig(
        vocab_size=len(tokenizer),
        activation_function="gelu",
        **{**TINY, "scale_embedding": True},
    )
    model = MBartForConditionalGeneration(config)
    return tokenizer, model, ("en_XX", "de_DE", "fr_XX"), tokenizer.convert_tokens_to_ids


def learn(model, tokenizer, languages, token):
    torch.manual_seed(1)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
        else:
            parameter.data += 0.05 * torch.randn_like(parameter)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    source, *targets = languages
    rows = []
    for texts in TEXTS:
        for language, text in zip(targets, texts[1:]):
            tokenizer.src_lang = source
            ids = tokenizer(texts[0])["input_ids"]
            words = tokenizer(text, add_special_tokens=False)["input_ids"]
            rows.append((ids, [2, token(language)] + words + [2]))
    pad = lambda lists: torch.tensor([row + [1] * (max(map(len, lists)) - len(row)) for row in lists])
    sources, outputs = pad([s for s, _ in rows]), pad([t for _, t in rows])
    model.train()
    for _ in range(300):
        logits = model(
            input_ids=sources, attention_mask=(sources != 1).long(), decoder_input_ids=outputs[:, :-1]
        ).logits
        labels = outputs[:, 1:]
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=1, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")
    model.eval()


def rows(model, tokenizer, languages, token):
    source, *targets = languages
    tokenizer.src_lang = source
    found = []
    sentences = [TEXTS[0][0], TEXTS[4][0], TEXTS[5][0], "Every small tree is in my green house.", UNKNOWN]
    for number, text in enumerate(sentences):
        language = targets[number % 2]
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        forced = token(language)
        search = dict(forced_bos_token_id=forced, max_length=40, return_dict_in_generate=True, output_scores=True)
        with torch.no_grad():
            greedy = model.generate(ids, num_beams=1, do_sample=False, **search)
            beam = model.generate(ids, num_beams=4, do_sample=False, early_stopping=False, **search)
            given = greedy.sequences[:, :6]
            logits = model(input_ids=ids, decoder_input_ids=given).logits[0]
        row = {
            "text": text,
            "source": source,
            "target": language,
            "source_ids": ids[0].tolist(),
            "decoder_input_ids": given[0].tolist(),
            "greedy_ids": greedy.sequences[0].tolist(),
            "beam_ids": beam.sequences[0].tolist(),
            "beam_score": round(beam.sequences_scores[0].item(), 5),
            "beam_text": tokenizer.decode(beam.sequences[0][2:], skip_special_tokens=True),
        }
        if number < 3:
            row["logits"] = [[round(x, 5) for x in line] for line in logits.tolist()]
        found.append(row)
    return found


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    for name, make in [("m2m100", m2m100), ("nllb", nllb), ("mbart50", mbart50)]:
        if name not in (sys.argv[2:] or [name]):
            continue
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        tokenizer, model, languages, token = make(folder)
        learn(model, tokenizer, languages, token)
        model.generation_config.num_beams = 4
        model.generation_config.max_length = 40
        model.save_pretrained(folder)
        kept = {"sentencepiece.bpe.model": (folder / "sentencepiece.bpe.model").read_bytes()}
        tokenizer.save_pretrained(folder)
        for file, data in kept.items():
            (folder / file).write_bytes(data)
        expected = {
            "made_with": f"transformers {transformers.__version__}, torch {torch.__version__}",
            "rows": rows(model, tokenizer, languages, token),
        }
        (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n")


main()
