"""Prints number, name, elements and bytes of a block of each tensor type of the gguf package.

    python3 crates/synapse-format/tests/tensor_types.py > crates/synapse-format/tests/tensor_types.tsv
"""

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

for kind in sorted(GGMLQuantizationType):
    elements, size = GGML_QUANT_SIZES[kind]
    print(int(kind), kind.name, elements, size, sep="\t")
