"""Random streams that depend on what is computed, never on when, where or in which order."""

import hashlib
import json

import numpy as np


def seed_of(*name: object) -> int:
    """A 64-bit seed from a name: any JSON-like values, e.g. scenario, method, parameters, replicate."""
    text = json.dumps(name, sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def stream(seed: int) -> np.random.Generator:
    """The random generator that belongs to a seed."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
