#!/usr/bin/env python3
"""Gradients of small transformers, in double, from their published definitions: forward in numpy, backward by the
autograd package, which differentiates numpy programs.  Nothing here comes from tgsched but how a tensor starts.

  pip install numpy scipy autograd
  python3 oracle.py gpt2 >gpt2.txt; python3 oracle.py bert >bert.txt

A parameter starts as `scale (2 u - 1)` in float32, u of xoshiro256** seeded by splitmix64.  Token p of sample s is
(5 s + 3 p + 1) mod words, its label (3 s + 7 p + 2) mod words; BERT's segment is p >= 2 and its labels, one a sample,
(3 s + 2) mod width.  The loss is the mean of the cross entropies.

A record: `NAME SEED SCALE D0xD1...`, then the gradient; the first line is the loss."""
import struct, sys
import autograd.numpy as np
from autograd import grad
from autograd.scipy.special import erf

BATCH, SEQ, WIDTH, HEADS, WORDS, POSITIONS = 4, 4, 8, 2, 16, 4
M64 = (1 << 64) - 1


def random(seed, scale, count):
    s = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & M64
        z = seed
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & M64
        s.append(z ^ z >> 31)
    turn = lambda x, k: ((x << k) | (x >> 64 - k)) & M64
    for _ in range(count):
        u = (turn(s[1] * 5 & M64, 7) * 9 & M64) >> 11
        t = s[1] << 17 & M64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = turn(s[3], 45)
        yield struct.unpack("f", struct.pack("f", scale * (2 * u * 2.0**-53 - 1)))[0]


def norm(x, scale, bias, epsilon):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def gelu(x):
    return x * (1 + erf(x / np.sqrt(2.0))) / 2


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attend(q, k, v, causal):
    heads = lambda x: np.transpose(np.reshape(x, (BATCH, SEQ, HEADS, WIDTH // HEADS)), (0, 2, 1, 3))
    scores = np.einsum("bhqd,bhkd->bhqk", heads(q), heads(k)) / np.sqrt(WIDTH / HEADS)
    if causal:
        scores = np.where(np.tril(np.ones((SEQ, SEQ), dtype=bool)), scores, -1e9)
    return np.reshape(np.transpose(np.matmul(softmax(scores), heads(v)), (0, 2, 1, 3)), (BATCH, SEQ, WIDTH))


def cross_entropy(logits, labels):
    top = np.max(logits, axis=-1, keepdims=True)
    total = np.log(np.sum(np.exp(logits - top), axis=-1)) + top[:, 0]
    return np.mean(total - logits[np.arange(len(labels)), labels])


sample, place = np.meshgrid(np.arange(BATCH), np.arange(SEQ), indexing="ij")
tokens, labels = (5 * sample + 3 * place + 1) % WORDS, ((3 * sample + 7 * place + 2) % WORDS).reshape(-1)
FEED = [("up.weight", (WIDTH, 4 * WIDTH)), ("up.bias", (4 * WIDTH,)), ("down.weight", (4 * WIDTH, WIDTH)),
        ("down.bias", (WIDTH,))]
NORM = [("norm.weight", (WIDTH,)), ("norm.bias", (WIDTH,))]


def project(p, name, x):
    return np.matmul(x, p[name + ".weight"]) + p[name + ".bias"]


def gpt2(p):
    x = p["wte"][tokens] + p["wpe"][np.arange(SEQ)][None]
    a, f = "layer0.attention.", "layer0.feed."
    y = norm(x, p[a + "norm.weight"], p[a + "norm.bias"], 1e-5)
    q, k, v = np.split(project(p, a + "qkv", y), 3, axis=2)
    x = x + project(p, a + "output", attend(q, k, v, True))
    y = norm(x, p[f + "norm.weight"], p[f + "norm.bias"], 1e-5)
    x = x + project(p, f + "down", gelu(project(p, f + "up", y)))
    x = norm(x, p["norm.weight"], p["norm.bias"], 1e-5)
    return cross_entropy(np.matmul(np.reshape(x, (BATCH * SEQ, WIDTH)), p["wte"].T), labels)


def bert(p):
    e, a, f = "embeddings.", "layer0.attention.", "layer0.feed."
    x = p[e + "word.weight"][tokens] + p[e + "segment.weight"][(place >= 2).astype(int)]
    x = norm(x + p[e + "position.weight"][np.arange(SEQ)][None], p[e + "norm.weight"], p[e + "norm.bias"], 1e-12)
    y = attend(project(p, a + "query", x), project(p, a + "key", x), project(p, a + "value", x), False)
    x = norm(project(p, a + "output", y) + x, p[a + "norm.weight"], p[a + "norm.bias"], 1e-12)
    y = project(p, f + "down", gelu(project(p, f + "up", x)))
    x = norm(y + x, p[f + "norm.weight"], p[f + "norm.bias"], 1e-12)
    y = np.tanh(np.matmul(x[:, 0], p["pooler.fc.weight"].T) + p["pooler.fc.bias"])
    return cross_entropy(y, (3 * np.arange(BATCH) + 2) % WIDTH)


def both(name, wide):
    return [(name + ".weight", (WIDTH, wide)), (name + ".bias", (wide,))]


def under(scope, shapes):
    return [(scope + name, shape) for name, shape in shapes]


SHAPES = {
    "gpt2": [("wte", (WORDS, WIDTH)), ("wpe", (POSITIONS, WIDTH))]
    + under("layer0.attention.", NORM + both("qkv", 3 * WIDTH) + both("output", WIDTH))
    + under("layer0.feed.", NORM + FEED) + NORM,
    "bert": under("embeddings.", [("word.weight", (WORDS, WIDTH)), ("segment.weight", (2, WIDTH)),
                                  ("position.weight", (POSITIONS, WIDTH))] + NORM)
    + under("layer0.attention.", both("query", WIDTH) + both("key", WIDTH) + both("value", WIDTH)
            + both("output", WIDTH) + NORM)
    + under("layer0.feed.", FEED + NORM) + both("pooler.fc", WIDTH),
}
model, start, how = sys.argv[1], {}, {}
for i, (name, shape) in enumerate(SHAPES[model]):
    scale = 1.5 if name.endswith("norm.weight") else 0.5
    how[name] = (100 + i, scale)
    start[name] = np.reshape(np.array(list(random(100 + i, scale, int(np.prod(shape))))), shape)
loss = {"gpt2": gpt2, "bert": bert}[model]
print("loss %.15g" % loss(start))
for name, slope in grad(loss)(start).items():
    print(name, "%d %g" % how[name], "x".join(map(str, slope.shape)))
    print(*("%.12g" % x for x in slope.reshape(-1)))
