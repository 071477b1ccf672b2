"""Systems that read documents in PyTorch, timed on the same batch: what `cargo bench --bench document_training` compares with.

As their equations stand in the papers, on sentences padded to the longest, as research code does it: concatenation (Tiedemann &
Scherrer 2017), HAN's encoder (Miculicich et al. 2018, Eq. 2-7), selective attention (Maruf et al. 2019, Eq. 3-6, 8-9) and
hierarchical conditional attention (Trankova et al. 2024, §3.3). Reads a JSON file [{"documents": [[{"source": [id, …],
"target": [id, …]}, …], …]}, …]; prints target tokens a second of a training step (forward, backward, Adam) of each system on
each batch, as JSON. Needs torch; uses a GPU with `cuda`.
"""
import json
import math
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

from peer import D, DEVICE, FF, HEADS, Attention, Transformer, feed_forward, padded, synchronise

TOP_T, PREVIOUS = 4, 3


def linear():
    return nn.Linear(D, D, bias=False)


def heads(x):
    return x.view(*x.shape[:-1], HEADS, -1).transpose(-2, -3)


def joined(x):
    return x.transpose(-2, -3).flatten(-2)


def sparsemax(scores):
    """Martins & Astudillo 2016, Algorithm 1; -inf for what may not be read."""
    scores = scores - scores.amax(-1, keepdim=True).clamp(min=-1e30)
    ranked = scores.sort(-1, descending=True).values
    sums = ranked.clamp(min=-1e4).cumsum(-1) - 1
    count = torch.arange(1, scores.size(-1) + 1, dtype=scores.dtype)
    support = (count * ranked > sums).sum(-1, keepdim=True).clamp(min=1)
    return (scores - sums.gather(-1, support - 1) / support).clamp(min=0)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.own, self.context = nn.Linear(D, D), linear()

    def forward(self, own, context):
        gate = torch.sigmoid(self.own(own) + self.context(context))
        return gate * own + (1 - gate) * context


class ContextLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.feed, self.after, self.gate = nn.LayerNorm(D), feed_forward(), nn.LayerNorm(D), Gate()

    def forward(self, own, attended):
        return self.gate(own, self.after(self.feed(self.before(attended))))


class Concatenation(Transformer):
    def encode_documents(self, source, lengths, documents):
        break_, pairs = 1, []
        for sentences in documents:
            for number, sentence in enumerate(sentences):
                before = sentences[number - 1]["source"] + [break_] if number else []
                pairs.append((before, sentence["source"] + [3]))
        # What was before ends where all sentences begin: a slice is their states.
        longest = max(len(before) for before, _ in pairs)
        rows = [[0] * (longest - len(before)) + before + own for before, own in pairs]
        x, _ = self.encode(padded(rows))
        return x[:, longest:]


class Han(Transformer):
    def __init__(self):
        super().__init__()
        self.word_query, self.sentence_query = linear(), linear()
        self.word, self.sentence, self.feed, self.gate = Attention(), Attention(), feed_forward(), Gate()

    def encode_documents(self, source, lengths, documents):
        memory = stage_one(self, source)
        x, mask = self.encode(source)
        position = torch.cat([torch.arange(len(sentences)) for sentences in documents])
        summaries, there = [], []
        for distance in range(PREVIOUS, 0, -1):
            before = (torch.arange(len(position)) - distance).clamp(min=0)
            summaries.append(self.word(self.word_query(x), memory[before], mask[before]))
            there.append(position >= distance)
        there = torch.stack(there, -1)
        alone = ~there.any(-1)
        summaries = torch.stack(summaries, 2).flatten(0, 1)
        reads = (there | alone[:, None]).repeat_interleave(x.size(1), 0)[:, None, None]
        attended = self.sentence(self.sentence_query(x).flatten(0, 1)[:, None], summaries, reads).view(x.shape)
        return self.gate(x, self.feed(attended * ~alone[:, None, None]))


class Selective(Transformer):
    def __init__(self):
        super().__init__()
        self.query_s, self.key_s, self.query_w, self.key_w, self.value, self.output = (linear() for _ in range(6))
        self.layer = ContextLayer()

    def encode_documents(self, source, lengths, documents):
        memory = stage_one(self, source)
        x, _ = self.encode(source)
        count, sentences, words = len(documents), len(documents[0]), source.size(1)
        there = (source != 0).view(count, 1, 1, sentences, words)
        means = (memory * (source != 0)[..., None]).sum(1) / lengths[:, None]
        flat = lambda t: t.reshape(count, -1, D)
        scale = (D // HEADS) ** -0.5
        by_sentence = heads(self.query_s(flat(x))) @ heads(self.key_s(means.view(count, sentences, D))).transpose(-1, -2)
        own = torch.eye(sentences, dtype=torch.bool).repeat_interleave(words, 0)
        chosen = sparsemax((by_sentence * scale).masked_fill(own, -math.inf))
        by_word = heads(self.query_w(flat(x))) @ heads(self.key_w(flat(memory))).transpose(-1, -2) * scale
        by_word = by_word.view(*by_word.shape[:3], sentences, words).masked_fill(~there, -math.inf)
        weights = (chosen[..., None] * sparsemax(by_word)).flatten(-2)
        attended = self.output(joined(weights @ heads(self.value(flat(memory)))))
        return self.layer(x, attended.view(x.shape))


class Source2Token(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = nn.Parameter(torch.randn(D)), linear(), linear(), linear()

    def forward(self, x, mask=None):
        scores = self.key(x) @ self.query / D ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        return self.output((scores.softmax(-1)[..., None] * self.value(x)).sum(-2))


class Tree(Transformer):
    def __init__(self):
        super().__init__()
        self.query_s, self.key_s, self.query_w, self.key_w, self.value, self.output = (linear() for _ in range(6))
        self.encoding, self.merge, self.layer = Source2Token(), Source2Token(), ContextLayer()

    def encode_documents(self, source, lengths, documents):
        x, _ = self.encode(source)
        count, sentences, words = len(documents), len(documents[0]), source.size(1)
        levels = [self.encoding(x, source != 0).view(count, sentences, D)]
        while levels[-1].size(1) > 1:
            level = levels[-1]
            pairs = level.size(1) // 2
            parents = self.merge(level[:, : 2 * pairs].reshape(count, pairs, 2, D))
            levels.append(torch.cat([parents, level[:, 2 * pairs:]], 1))
        flat, scale = x.view(count, -1, D), (D // HEADS) ** -0.5
        query = heads(self.query_s(flat))
        scores = [query @ heads(self.key_s(level)).transpose(-1, -2) * scale for level in levels]
        kept = torch.zeros(*query.shape[:3], 1, dtype=torch.long)
        sums = scores[-1]
        for level in reversed(scores[:-1]):
            children = torch.cat([2 * kept, 2 * kept + 1], -1)
            outside = children >= level.size(-1)
            relevance = level.gather(-1, children.clamp(max=level.size(-1) - 1))
            above = torch.cat([sums, sums], -1)
            _, best = relevance.masked_fill(outside, -math.inf).topk(min(TOP_T, relevance.size(-1)), -1)
            # What is not there stays behind the last node, where nobody looks.
            kept, sums = children.gather(-1, best), (above + relevance).gather(-1, best)
            gone = outside.gather(-1, best)
            kept = kept.masked_fill(gone, level.size(-1) - 1)
            sums = sums.masked_fill(gone, -math.inf)
        chosen = torch.full((*query.shape[:3], sentences), -math.inf).scatter_reduce(-1, kept, sums, "amax")
        there = (source != 0).view(count, 1, 1, -1)
        bias = chosen.repeat_interleave(words, -1).masked_fill(~there, -math.inf)
        attended = F.scaled_dot_product_attention(
            heads(self.query_w(flat)), heads(self.key_w(flat)), heads(self.value(flat)), attn_mask=bias)
        return self.layer(x, self.output(joined(attended)).view(x.shape))


def stage_one(model, source):
    """The states of the sentence-level model, which are not trained."""
    model.eval()
    with torch.no_grad():
        states, _ = model.encode(source)
    model.train()
    return states


SYSTEMS = {"concatenation": Concatenation, "han-encoder": Han, "selective": Selective, "hierarchical-conditional": Tree}


def training(model, documents, rounds):
    pairs = [pair for sentences in documents for pair in sentences]
    source = padded([pair["source"] + [3] for pair in pairs])
    target = padded([[2] + pair["target"] + [3] for pair in pairs])
    lengths, tokens = (source != 0).sum(1), int((target[:, 1:] != 0).sum())
    mask = (source != 0)[:, None, None]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    best = math.inf
    for _ in range(rounds):
        begun = time.perf_counter()
        encoded = model.encode_documents(source, lengths, documents)
        logits = model.decode(target[:, :-1], encoded, mask) @ model.embedding.weight.T
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        synchronise()
        best = min(best, time.perf_counter() - begun)
        assert math.isfinite(loss.item()), type(model)
    return tokens / best


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_default_device(DEVICE)
    found = {}
    for name, system in SYSTEMS.items():
        model = system()
        model.train()
        found[name] = [training(model, batch["documents"], 20 if DEVICE == "cuda" else 5) for batch in json.load(open(sys.argv[1]))]
    print(json.dumps(found))
