"""Random streams come from names."""

from sdclab.numerics.seeds import seed_of, stream


def test_seeds_depend_on_the_name_alone():
    assert seed_of("S1", "noise", {"p": 0.1, "c": 2}, 0) == seed_of("S1", "noise", {"c": 2, "p": 0.1}, 0)
    names = {seed_of("S1", "noise", {"p": p}, r) for p in (0.1, 0.2) for r in range(50)}
    assert len(names) == 100
    # a change of this number would change every random result of the project
    assert seed_of("S1", "ipso_c", {}, 0) == 0x4F3953EBC72EA563  # of SHA-256 of ["S1","ipso_c",{},0]


def test_streams_differ():
    draws = {stream(seed_of("x", i)).random() for i in range(100)}
    assert len(draws) == 100
