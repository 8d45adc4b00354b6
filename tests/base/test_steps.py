"""How far loops are, one inside the other."""

import pytest

from sdclab.base.progress import doing, each_of, loops, share


def test_what_is_done_inside_a_step_is_a_part_of_it():
    seen = []
    with doing("a file"):
        for _ in each_of("abcd", "outer"):
            for _ in each_of(range(2), "inner"):
                seen.append(share()[0])
            seen.append(share()[0])
    assert seen == pytest.approx([k / 8 for i in range(4) for k in (2 * i, 2 * i + 1, 2 * i)])
    assert loops() == ()


def test_steps_may_be_counted_by_whoever_takes_them():
    with doing("clusters", 10) as loop:
        loop.done = 4
        assert share() == (0.4, loop.begun)
        assert [each.what for each in loops()] == ["clusters"]
    assert share()[0] == 0


def test_a_loop_that_is_left_is_over():
    for item in each_of("abc"):
        if item == "b":
            break
    with pytest.raises(ValueError, match="stop"):
        fails()
    assert loops() == ()


def fails():
    for _ in each_of("abc"):
        raise ValueError("stop")
