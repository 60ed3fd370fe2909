#!/usr/bin/env python3
"""Golden values of kernels, computed from the definitions of the ONNX operators without any library.

  python3 oracle.py >golden.txt

A record: `kernel NAME ATTRS`, then `r|w DTYPE D0xD1... VALUE...` for each buffer, in the order of the codelet."""
import itertools, math, random

random.seed(5)


def show(mode, dtype, dims, values):
    print(mode, dtype, "x".join(map(str, dims)), *(repr(v) for v in values))


def uniform(n):
    return [round(random.uniform(-1, 1), 3) for _ in range(n)]


def places(dims):
    return itertools.product(*(range(d) for d in dims))


def flat(place, dims):
    at = 0
    for p, d in zip(place, dims):
        at = at * d + p
    return at


def gather_elements(dims, index_dims, axis, dtype):
    x = uniform(math.prod(dims))
    index = [random.randrange(-dims[axis], dims[axis]) for _ in range(math.prod(index_dims))]
    y = []
    for p, i in zip(places(index_dims), index):
        q = list(p)
        q[axis] = i if i >= 0 else i + dims[axis]
        y.append(x[flat(q, dims)])
    print(f"kernel gatherelements axis={axis}")
    show("r", "real", dims, x)
    show("r", dtype, index_dims, index)
    show("w", "real", index_dims, y)


def top_k(dims, k, axis, largest):
    x = [round(random.uniform(-1, 1), 1) for _ in range(math.prod(dims))]  # some are equal
    out = list(dims)
    out[axis] = k
    y, where = [0] * math.prod(out), [0] * math.prod(out)
    for p in places(dims[:axis] + dims[axis + 1:]):
        row = lambda i, of: flat(list(p[:axis]) + [i] + list(p[axis:]), of)
        order = sorted(range(dims[axis]), key=lambda i: ((-1 if largest else 1) * x[row(i, dims)], i))
        for n, i in enumerate(order[:k]):
            y[row(n, out)], where[row(n, out)] = x[row(i, dims)], i
    print(f"kernel topk axis={axis} largest={int(largest)}")
    show("r", "real", dims, x)
    show("w", "real", out, y)
    show("w", "i64", out, where)


def rotary(batch, heads, seq, size, interleaved):
    half = size // 2
    x = uniform(batch * heads * seq * size)
    cos = [math.cos(t / 10 ** i) for t in range(seq) for i in range(half)]
    sin = [math.sin(t / 10 ** i) for t in range(seq) for i in range(half)]
    y = list(x)
    for row in range(batch * heads * seq):
        for i in range(half):
            a = row * size + (2 * i if interleaved else i)
            b = a + 1 if interleaved else a + half
            c, s = cos[row % seq * half + i], sin[row % seq * half + i]
            y[a], y[b] = x[a] * c - x[b] * s, x[a] * s + x[b] * c
    print(f"kernel rotaryembedding interleaved={int(interleaved)}")
    show("r", "real", [batch, heads, seq, size], x)
    show("r", "real", [seq, half], cos)
    show("r", "real", [seq, half], sin)
    show("w", "real", [batch, heads, seq, size], y)


def coordinates(count, dims):
    return [[random.randrange(-d, d) for d in dims] for _ in range(count)]


def entry(at, dims):
    return [p if p >= 0 else p + d for p, d in zip(at, dims)]


def gather_nd(dims, index_dims, batch, dtype):
    x = uniform(math.prod(dims))
    width = index_dims[-1]
    index = coordinates(math.prod(index_dims[:-1]), dims[batch:batch + width])
    behind = dims[batch + width:]
    y = [x[flat(list(p[:batch]) + entry(at, dims[batch:]) + list(q), dims)]
         for p, at in zip(places(index_dims[:-1]), index) for q in places(behind)]
    print(f"kernel gathernd batch_dims={batch}")
    show("r", "real", dims, x)
    show("r", dtype, index_dims, [c for at in index for c in at])
    show("w", "real", index_dims[:-1] + behind, y)


def scatter_nd(dims, index_dims, reduction, dtype):
    combine = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new,
               "max": max, "min": min}[reduction]
    x = uniform(math.prod(dims))
    width = index_dims[-1]
    index = coordinates(math.prod(index_dims[:-1]), dims[:width])
    behind = dims[width:]
    update = uniform(len(index) * math.prod(behind))
    y, updates = list(x), iter(update)
    for at in index:
        for q in places(behind):
            place = flat(entry(at, dims) + list(q), dims)
            y[place] = combine(y[place], next(updates))
    print(f"kernel scatternd reduction={reduction}")
    show("r", "real", dims, x)
    show("r", dtype, index_dims, [c for at in index for c in at])
    show("r", "real", index_dims[:-1] + behind, update)
    show("w", "real", dims, y)


gather_elements([3, 4], [2, 4], 0, "i64")
gather_elements([3, 4], [3, 7], 1, "i32")
gather_elements([2, 3, 4], [2, 5, 3], 1, "i64")
top_k([9], 4, 0, True)
top_k([3, 8], 3, 1, False)
top_k([2, 6, 4], 5, 1, True)
rotary(2, 2, 3, 4, False)
rotary(1, 2, 4, 6, True)
gather_nd([3, 4, 2], [5, 2], 0, "i64")
gather_nd([2, 3, 4], [2, 5, 1], 1, "i32")
gather_nd([3, 4], [2, 2, 2], 0, "i64")
for how in "none", "add", "mul", "max", "min":
    scatter_nd([4, 3], [6, 1], how, "i64")
scatter_nd([3, 4, 2], [2, 4, 2], "add", "i32")
