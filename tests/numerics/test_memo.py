"""What is remembered is computed once, and only for the very same arguments."""

import numpy as np

from sdclab.numerics.memo import KEPT, remembered


def test_arrays_count_by_content_and_the_rest_by_text():
    calls = []

    @remembered
    def total(x: np.ndarray, times: int = 1) -> float:
        calls.append(times)
        return float(x.sum()) * times

    x = np.arange(6.0)
    assert total(x) == total(x.copy()) == 15
    assert len(calls) == 1
    assert total(x, times=2) == 30
    assert total(x.reshape(2, 3)) == 15  # same bytes, another shape
    assert total(x.astype(np.float32)) == 15
    assert total(x + 1) == 21
    assert len(calls) == 5


def test_an_array_by_columns_is_not_the_one_by_rows():
    @remembered
    def by_columns(x: np.ndarray) -> bool:
        return bool(x.flags.f_contiguous)

    x = np.arange(6.0).reshape(2, 3)
    assert [by_columns(each) for each in (x, np.asfortranarray(x), x)] == [False, True, False]


def test_the_oldest_result_is_forgotten():
    calls = []

    @remembered
    def same(i: int) -> int:
        calls.append(i)
        return i

    for i in range(KEPT + 1):
        same(i)
    same(KEPT)
    assert len(calls) == KEPT + 1
    same(0)
    assert len(calls) == KEPT + 2


def test_who_says_so_keeps_more():
    calls = []

    def same(i: int) -> int:
        calls.append(i)
        return i

    recalled = remembered(same, kept=KEPT + 1)
    for i in (*range(KEPT + 1), 0):
        recalled(i)
    assert len(calls) == KEPT + 1
