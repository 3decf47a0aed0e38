"""Writes expand.bin: blocks of every supported type and what the gguf package expands them to.

Layout, little-endian, once per type: u32 type number, u32 elements, u32 bytes, then the
bytes as a file stores them, then the elements as f32 bits. Run: python3 make.py
(gguf and numpy from PyPI). Every NaN is written as 0x7FC00000.
"""

import struct
from pathlib import Path

import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as T

rng = np.random.default_rng(20240229)

# Bit patterns of f16 that scales meet: zeros, the smallest and largest subnormal, the smallest
# and largest normal, one, infinities and NaN.
HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3C00, 0x7C00, 0xFC00, 0x7E00]

# type: byte offsets of the f16 scales inside a block
SCALES = {
    T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0],
    T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208],
}


def blocks(ty: T) -> np.ndarray:
    elements, size = GGML_QUANT_SIZES[ty]
    rows = []
    for case in range(36 if elements == 32 else 20):
        block = rng.integers(0, 256, size, dtype=np.uint8)
        if case < len(HALVES):
            values = [HALVES[case], HALVES[(5 * case + 3) % len(HALVES)]]
        else:
            # finite scales of ordinary size
            values = [int(v) for v in rng.normal(0, 0.05, 2).astype(np.float16).view(np.uint16)]
            if case % 4 == 1:
                block[:] = 0
            if case % 4 == 2:
                block[:] = 255
        for at, value in zip(SCALES[ty], values):
            block[at : at + 2] = np.frombuffer(struct.pack("<H", value), np.uint8)
        rows.append(block)
    return np.stack(rows)


def floats(ty: T) -> np.ndarray:
    if ty == T.F32:
        words = np.concatenate([
            np.array([0, 0x80000000, 1, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000], np.uint32),
            rng.integers(0, 2**32, 56, dtype=np.uint32),
        ])
        return words.view(np.uint8)
    extra = [0x0080, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0] if ty == T.BF16 else []
    words = np.array(HALVES + extra, np.uint16)
    words = np.concatenate([words, rng.integers(0, 2**16, 160 - len(words), dtype=np.uint16)])
    return words.view(np.uint8)


with open(Path(__file__).with_name("expand.bin"), "wb") as out:
    for ty in [T.F32, T.F16, T.BF16, *SCALES]:
        data = blocks(ty) if ty in SCALES else floats(ty)
        with np.errstate(all="ignore"):
            values = np.ascontiguousarray(quants.dequantize(data, ty), np.float32).reshape(-1)
        bits = np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))
        raw = data.tobytes()
        out.write(struct.pack("<III", int(ty), len(bits), len(raw)))
        out.write(raw)
        out.write(bits.astype("<u4").tobytes())
        print(ty.name, len(raw), len(bits))
