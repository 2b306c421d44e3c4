#!/usr/bin/env python3
"""Write a tiny language model with random weights, for tests that need a real llama-server.

usage: make_gguf.py FILE [SEED]

The same seed gives the same file, byte for byte. 260 tokens (three special ones, every byte, a blank), one layer, about 0.3 MB:
it speaks nonsense, which is right for testing transport, streaming and output that a schema constrains.
Format: GGUF version 3 (ggml, docs/gguf.md): header, key-values, tensor directory, tensor data aligned to 32 bytes.
"""
import array
import random
import struct
import sys

EMBED, HIDDEN, HEADS, CONTEXT = 64, 128, 4, 8192
U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens

TEMPLATE = ("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
            "{% if add_generation_prompt %}assistant: {% endif %}")
SPACE = "\u2581"  # how this kind of tokenizer writes a blank


def text(s):
    b = s.encode()
    return struct.pack("<Q", len(b)) + b


def value(kind, v):
    if kind == STRING:
        return text(v)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], v)


def pair(key, kind, v):
    return text(key) + struct.pack("<I", kind) + value(kind, v)


def pairs(key, kind, vs):
    return (text(key) + struct.pack("<IIQ", ARRAY, kind, len(vs)) +
            b"".join(value(kind, v) for v in vs))


def metadata(tokens):
    return [
        pair("general.architecture", STRING, "llama"),
        pair("general.name", STRING, "random"),
        pair("llama.context_length", U32, CONTEXT),
        pair("llama.embedding_length", U32, EMBED),
        pair("llama.block_count", U32, 1),
        pair("llama.feed_forward_length", U32, HIDDEN),
        pair("llama.attention.head_count", U32, HEADS),
        pair("llama.attention.head_count_kv", U32, HEADS),
        pair("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        pair("llama.rope.dimension_count", U32, EMBED // HEADS),
        pair("tokenizer.ggml.model", STRING, "llama"),
        pairs("tokenizer.ggml.tokens", STRING, tokens),
        pairs("tokenizer.ggml.scores", F32, [0.0] * len(tokens)),
        pairs("tokenizer.ggml.token_type", I32,
              [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL]),
        pair("tokenizer.ggml.unknown_token_id", U32, 0),
        pair("tokenizer.ggml.bos_token_id", U32, 1),
        pair("tokenizer.ggml.eos_token_id", U32, 2),
        pair("tokenizer.ggml.add_space_prefix", BOOL, False),
        pair("tokenizer.chat_template", STRING, TEMPLATE),
    ]


def shapes(ntoken):
    """name, dimensions (fastest first)"""
    yield "token_embd.weight", (EMBED, ntoken)
    yield "output_norm.weight", (EMBED,)
    yield "output.weight", (EMBED, ntoken)
    for name in ("attn_norm", "ffn_norm"):
        yield "blk.0.%s.weight" % name, (EMBED,)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        yield "blk.0.%s.weight" % name, (EMBED, EMBED)
    yield "blk.0.ffn_gate.weight", (EMBED, HIDDEN)
    yield "blk.0.ffn_up.weight", (EMBED, HIDDEN)
    yield "blk.0.ffn_down.weight", (HIDDEN, EMBED)


def weights(dims, source):
    n = 1
    for d in dims:
        n *= d
    if len(dims) == 1:  # norms
        return array.array("f", [1.0] * n)
    return array.array("f", [source.uniform(-0.1, 0.1) for _ in range(n)])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n\n")[1])
    source = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)] + [SPACE]
    meta = metadata(tokens)
    directory, data = b"", b""
    tensors = list(shapes(len(tokens)))
    for name, dims in tensors:
        a = weights(dims, source)
        if sys.byteorder == "big":
            a.byteswap()
        directory += text(name) + struct.pack("<I%dQIQ" % len(dims), len(dims), *dims, 0, len(data))
        data += a.tobytes()
        data += b"\0" * (-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(meta)) + b"".join(meta) + directory
    with open(sys.argv[1], "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32) + data)


if __name__ == "__main__":
    main()
