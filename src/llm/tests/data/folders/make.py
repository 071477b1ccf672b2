"""Makes the folders next to it: a tiny model of each family with random weights, and what transformers computes with it.

    pip install torch transformers tokenizers safetensors
    python src/llm/tests/data/folders/make.py src/llm/tests/data/folders [FAMILY…]

Each folder is one as `save_pretrained` writes it; `expected.json` has the ids of a text, logits behind it and behind its
beginning, the attention of the last token by layer and head, and the tokens that follow greedily. Computed in 32 bits, whatever
the weights are stored in. Of T5, which has an encoder, the attention is that to the source. torch 2.15.0, transformers 5.24.0.
"""

import json
import shutil
import sys
from pathlib import Path

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

TEXT = "The bank by the river is closed. Où est la clé ? It costs 25 € — <|im_end|>\n"
BEGINNING = 7
T5_TEXT = (
    "<2pt> The bank by the river is closed on Sundays… The river is wide  and the bank is steep. It costs 25 euros. "
    "The key costs more than the table."
)
LEARNT = [
    "The bank by the river is closed on Sundays. The river is wide and the bank is steep.",
    "Die Bank am Fluss ist sonntags geschlossen. Der Fluss ist breit und das Ufer ist steil.",
    "Où est la clé de la banque ? La clé est sur la table.",
    "It costs 25 euros. The key costs more than the table.",
]
WIDTHS = dict(
    hidden_size=32,
    intermediate_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=4096,
)
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def letters(vocab_size):
    """Byte pairs in letters that stand for bytes, as of Qwen."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer.train_from_iterator(
        [*LEARNT, TEXT], trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False)
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )


def pieces(normalizer, pre_tokenizer, eos="</s>", bos="<s>"):
    """Pairs of SentencePiece with bytes for the rest, as of Llama 2, Mistral and Gemma."""
    learner = Tokenizer(models.BPE())
    learner.normalizer = normalizers.Replace(" ", "▁")
    learner.train_from_iterator(["the bank by the river is closed"], trainers.BpeTrainer(vocab_size=39, show_progress=False))
    learnt = json.loads(learner.to_str())["model"]
    special = ["<pad>", "<unk>", bos, eos]
    tokens = special + [f"<0x{byte:02X}>" for byte in range(256)]
    tokens += learnt["vocab"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    merges = [tuple(pair) for pair in learnt["merges"]]
    tokenizer = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, vocabulary[bos])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=bos, eos_token=eos, unk_token="<unk>", pad_token="<pad>"
    )


def unigrams():
    """The likeliest pieces, as of MADLAD-400."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), "▁")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    special = ["<unk>", "<s>", "</s>", "<2pt>", "<2de>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(LEARNT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<s>"
    )


def make_t5(folder, **settings):
    """T5 1.0, or, gated and with an output of its own, 1.1 and MADLAD-400."""
    shutil.rmtree(folder, ignore_errors=True)
    tokenizer = unigrams()
    config = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=8,
        d_ff=16,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **settings,
    )
    model = transformers.T5ForConditionalGeneration(config)
    is_tied = config.scale_decoder_outputs
    if not is_tied:
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.clone())
    randomised(model, 7)
    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    tidy(folder)
    path = folder / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | dict(tie_word_embeddings=is_tied), indent=2) + "\n")


def expect_t5(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = transformers.T5ForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    is_tied = torch.equal(model.lm_head.weight, model.shared.weight)
    assert is_tied == model.config.scale_decoder_outputs == (folder.name == "t5")
    text, target = T5_TEXT, "Die Bank am Fluss ist sonntags geschlossen. Der Fluss ist breit und das Ufer ist steil."
    ids = tokenizer(text).input_ids
    written = tokenizer(target, add_special_tokens=False).input_ids
    read = [model.config.decoder_start_token_id, *written]
    with torch.no_grad():
        options = dict(output_attentions=True, use_cache=False)
        output = model(torch.tensor([ids]), decoder_input_ids=torch.tensor([read]), **options)
        options = dict(num_beams=1, do_sample=False, use_cache=False)
        following = model.generate(torch.tensor([ids]), max_new_tokens=12, **options)[0, 1:]
    expected = dict(
        text=text,
        ids=ids,
        target=target,
        written=written,
        logits=rounded(output.logits[0, -1]),
        logits_behind_start=rounded(output.logits[0, 0]),
        attention=[[rounded(head) for head in layer[0, :, -1]] for layer in output.cross_attentions],
        following=following.tolist(),
    )
    write_expected(folder, expected)


def randomised(model, seed):
    """Weights that make attention uneven, norms that are not 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            numbers = torch.randn(weights.shape, generator=generator)
            if weights.dim() == 1:
                weights.add_(0.2 * numbers)
            elif "embed_tokens" in name or "shared" in name or "bias" in name:
                weights.copy_(0.5 * numbers)
            else:
                weights.copy_(1.3 / weights.shape[1] ** 0.5 * numbers)


def make_family(folder, tokenizer, config, kind, **saving):
    shutil.rmtree(folder, ignore_errors=True)
    config.vocab_size = len(tokenizer)
    config.eos_token_id = tokenizer.eos_token_id
    config.bos_token_id = tokenizer.bos_token_id
    config.pad_token_id = tokenizer.pad_token_id
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config)
    randomised(model, len(folder.name))
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    model.to(kind).save_pretrained(folder, **saving)
    tokenizer.save_pretrained(folder)
    tidy(folder)


def tidy(folder):
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()), ensure_ascii=False, separators=(",", ":")) + "\n")
    for path in folder.glob("*.safetensors"):
        path.chmod(0o644)


def rounded(numbers):
    return [round(number, 6) for number in numbers.tolist()]


def write_expected(folder, expected):
    (folder / "expected.json").write_text(json.dumps(expected, ensure_ascii=False, separators=(",", ":")) + "\n")
    size = sum(path.stat().st_size for path in folder.iterdir())
    most = max(map(abs, expected["logits"]))
    print(f"{folder.name}: {size} bytes, {len(expected['ids'])} ids, logits up to {most:.2f}")


def expect(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids = tokenizer(TEXT).input_ids
    with torch.no_grad():
        output = model(torch.tensor([ids]), output_attentions=True)
        following = list(ids)
        for _ in range(8):
            following.append(int(model(torch.tensor([following])).logits[0, -1].argmax()))
    logits = output.logits[0]
    expected = dict(
        text=TEXT,
        ids=ids,
        beginning=BEGINNING,
        logits=rounded(logits[-1]),
        logits_behind_beginning=rounded(logits[BEGINNING - 1]),
        attention=[[rounded(head) for head in layer[0, :, -1]] for layer in output.attentions],
        following=following[len(ids) :],
    )
    write_expected(folder, expected)


def old_form(folder, drop, add):
    """A `config.json` as transformers 4 wrote it."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    for key in drop:
        config.pop(key)
    path.write_text(json.dumps(config | add, indent=2) + "\n")


def main(to, families):
    is_wanted = lambda folder: not families or folder.name in families
    make = lambda folder, *rest, **saving: is_wanted(folder) and make_family(folder, *rest, **saving)
    spaces = normalizers.Replace(" ", "▁")
    make(
        to / "llama",
        pieces(normalizers.Sequence([normalizers.Prepend("▁"), spaces]), None),
        transformers.LlamaConfig(
            **WIDTHS,
            tie_word_embeddings=False,
            rope_parameters=dict(
                rope_type="llama3",
                rope_theta=500_000.0,
                factor=8.0,
                low_freq_factor=1.0,
                high_freq_factor=4.0,
                original_max_position_embeddings=64,
            ),
        ),
        torch.bfloat16,
        max_shard_size="32KB",
    )
    make(
        to / "mistral",
        pieces(None, pre_tokenizers.Metaspace(prepend_scheme="first")),
        transformers.MistralConfig(**WIDTHS, tie_word_embeddings=True, sliding_window=6),
        torch.bfloat16,
    )
    is_wanted(to / "mistral") and old_form(to / "mistral", ["rope_parameters"], dict(rope_theta=10_000.0))
    qwen2 = letters(140)
    qwen2.chat_template = TEMPLATE
    make(
        to / "qwen2",
        qwen2,
        transformers.Qwen2Config(
            **WIDTHS,
            tie_word_embeddings=False,
            rope_parameters=dict(
                rope_type="yarn", rope_theta=10_000.0, factor=4.0, original_max_position_embeddings=64
            ),
        ),
        torch.float16,
    )
    make(
        to / "qwen3",
        letters(140),
        transformers.Qwen3Config(**WIDTHS, head_dim=12, tie_word_embeddings=True),
        torch.float32,
    )
    gemma = lambda: pieces(spaces, None, eos="<eos>", bos="<bos>")
    make(
        to / "gemma2",
        gemma(),
        transformers.Gemma2Config(
            **WIDTHS,
            head_dim=8,
            query_pre_attn_scalar=12,
            sliding_window=6,
            attn_logit_softcapping=4.0,
            final_logit_softcapping=6.0,
        ),
        torch.float16,
    )
    is_wanted(to / "gemma2") and old_form(to / "gemma2", ["rope_parameters", "layer_types"], dict(rope_theta=10_000.0))
    make(
        to / "gemma3",
        gemma(),
        transformers.Gemma3TextConfig(
            **WIDTHS,
            head_dim=8,
            query_pre_attn_scalar=8,
            sliding_window=6,
            layer_types=["sliding_attention", "full_attention"],
            rope_parameters=dict(
                sliding_attention=dict(rope_type="default", rope_theta=10_000.0),
                full_attention=dict(rope_type="linear", factor=8.0, rope_theta=1_000_000.0),
            ),
        ),
        torch.bfloat16,
    )
    make(
        to / "hunyuan",
        letters(140),
        transformers.HunYuanDenseV1Config(
            **WIDTHS,
            head_dim=8,
            tie_word_embeddings=True,
            rope_parameters=dict(rope_type="dynamic", rope_theta=10_000.0, alpha=1_000.0, factor=1.0),
        ),
        torch.bfloat16,
    )
    if is_wanted(to / "t5"):
        make_t5(to / "t5", feed_forward_proj="relu", relative_attention_num_buckets=16)
    if is_wanted(to / "madlad"):
        make_t5(to / "madlad", feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_decoder_layers=3)
    for folder in sorted(path for path in to.iterdir() if path.is_dir() and is_wanted(path)):
        expect_t5(folder) if folder.name in ["t5", "madlad"] else expect(folder)


main(Path(sys.argv[1]), sys.argv[2:])
