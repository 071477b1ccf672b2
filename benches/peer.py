"""The same model in PyTorch, timed on the same batch: what `cargo bench --bench training_step` compares with.

Reads a JSON file {"source": [[id, …], …], "target": [[id, …], …], "decode_steps": n}; prints target tokens a second of
a training step (forward, backward, Adam) and of greedy decoding, as JSON. Needs torch; uses a GPU with `cuda`, with mixed
precision in training (autocast, with a scaled loss) with `cuda-float16`.
"""
import json
import math
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

D, FF, HEADS, VOCAB, LAYOUT, DECODER_LAYERS, DROPOUT = 256, 1024, 4, 8000, "ssfsf", 2, 0.1
HALVES = "cuda-float16" in sys.argv
DEVICE = "cuda" if HALVES or "cuda" in sys.argv else "cpu"


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))

    def forward(self, x, memory, mask=None, causal=False):
        split = lambda t: t.view(t.size(0), t.size(1), HEADS, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(memory)), split(self.v(memory)), attn_mask=mask, is_causal=causal)
        return self.o(y.transpose(1, 2).reshape(x.shape))


class Sublayer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.norm, self.dropout = inner, nn.LayerNorm(D), nn.Dropout(DROPOUT)

    def forward(self, x, *args, **kwargs):
        return self.norm(x + self.dropout(self.inner(x, *args, **kwargs)))


def feed_forward():
    return nn.Sequential(nn.Linear(D, FF), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(FF, D))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, D)
        nn.init.normal_(self.embedding.weight, std=D ** -0.5)
        places = torch.arange(512)[:, None] * torch.exp(torch.arange(0, D, 2) * (-math.log(1e4) / D))
        self.register_buffer("places", torch.stack([places.sin(), places.cos()], -1).reshape(512, D))
        self.dropout = nn.Dropout(DROPOUT)
        self.encoder = nn.ModuleList(Sublayer(Attention() if c == "s" else feed_forward()) for c in LAYOUT)
        self.decoder = nn.ModuleList(
            nn.ModuleList([Sublayer(Attention()), Sublayer(Attention()), Sublayer(feed_forward())])
            for _ in range(DECODER_LAYERS))

    def embed(self, ids):
        return self.dropout(self.embedding(ids) * D ** 0.5 + self.places[: ids.size(1)])

    def encode(self, source):
        mask = (source != 0)[:, None, None]
        x = self.embed(source)
        for kind, sublayer in zip(LAYOUT, self.encoder):
            x = sublayer(x, x, mask) if kind == "s" else sublayer(x)
        return x, mask

    def decode(self, target, encoded, mask):
        y = self.embed(target)
        for own, cross, feed in self.decoder:
            y = feed(cross(own(y, y, causal=True), encoded, mask))
        return y


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=DEVICE)


def synchronise():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def training(model, batch, rounds):
    source, target = padded([row + [3] for row in batch["source"]]), padded([[2] + row + [3] for row in batch["target"]])
    tokens = int((target[:, 1:] != 0).sum())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    scaler = torch.amp.GradScaler(DEVICE, enabled=HALVES)
    best = math.inf
    for _ in range(rounds):
        begun = time.perf_counter()
        with torch.autocast(DEVICE, torch.float16, enabled=HALVES):
            encoded, mask = model.encode(source)
            logits = model.decode(target[:, :-1], encoded, mask) @ model.embedding.weight.T
            loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        synchronise()
        best = min(best, time.perf_counter() - begun)
    return tokens / best


@torch.no_grad()
def decoding(model, batch, rounds):
    model.eval()
    source, steps = padded([row + [3] for row in batch["source"]]), batch["decode_steps"]
    best = math.inf
    for _ in range(rounds):
        begun = time.perf_counter()
        encoded, mask = model.encode(source)
        target = torch.full((source.size(0), 1), 2, device=DEVICE)
        for _ in range(steps):
            scores = model.decode(target, encoded, mask)[:, -1] @ model.embedding.weight.T
            target = torch.cat([target, scores.argmax(-1)[:, None]], 1)
        synchronise()
        best = min(best, time.perf_counter() - begun)
    return source.size(0) * steps / best


if __name__ == "__main__":
    torch.manual_seed(1)
    batches = json.load(open(sys.argv[1]))
    model = Transformer().to(DEVICE)
    results = []
    for batch in batches:
        model.train()
        results.append({"training": training(model, batch, 20 if DEVICE == "cuda" else 5), "decoding": decoding(model, batch, 2)})
    print(json.dumps({"torch": torch.__version__, "batches": results}))
