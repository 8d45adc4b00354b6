"""Long files: what is told of samples, beside what all records tell."""

import numpy as np
import pandas as pd
import pytest

import sdclab
from sdclab.base import progress
from sdclab.experiment import comparison
from sdclab.experiment.comparison import LONG, PARTS, compare, paired
from sdclab.experiment.comparison import _averaged as averaged
from sdclab.experiment.comparison import _errors_of_links as errors_of_links
from sdclab.measures import measure, number, s_pmse
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.pairing import pair

N = LONG + 4_000


def planted(n=N, seed=1):
    """Two related numbers in cents, with noise of a third of an SD and a shift of a twentieth in the release."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 2)) @ [[100, 60], [0, 80]]
    frame = pd.DataFrame(x, columns=["income", "tax"]).round(2)
    return frame, (frame + rng.normal(5, 33, x.shape)).round(2)


def found_in(files, names, **told):
    return compare(paired(*files)[0], names, quick=True, **told)


class TestSamples:
    def test_up_to_the_threshold_all_records_count(self):
        before, after = planted(LONG)
        assert found_in((before, after), ["s_pmse", "dbrl"]).samples == {}
        before, after = (pd.concat([each, each[:1]]) for each in (before, after))
        assert set(found_in((before, after), ["s_pmse", "dbrl"]).samples) == {"s_pmse", "dbrl"}

    def test_a_sample_links_as_all_records_do(self):
        """Some hundred of 5,000 are linked: a share that is off by more than four errors is wrong."""
        files = planted()
        names = ["dbrl", "prl", "dr", "score"]
        quick, whole = found_in(files, names), compare(paired(*files)[0], names)
        assert whole.samples == {}
        for name in names:
            sample = quick.samples[name]
            assert (sample.records, sample.number) == (5_000, 1)
            for quantity, value in whole.numbers[name].items():
                told, error = quick.numbers[name][quantity], sample.errors.get(quantity)
                if error is None:  # PIL and interval disclosure are of all records
                    assert told == pytest.approx(value, rel=1e-9), quantity
                else:
                    assert 0 < error < 1
                    assert told != value
                    assert abs(told - value) < 4 * error, quantity

    def test_the_errors_of_what_is_made_of_linkage(self):
        """With everybody linked, or nobody, an error is small but not 0; of a sum it is at most their sum."""
        errors = errors_of_links({"score": 40.0, "dr": 50.0, "dbrl": 0.0, "prl": 100.0})
        assert 0 < errors["dbrl"] < 0.1
        assert errors["prl"] == pytest.approx(errors["dbrl"])
        assert errors_of_links({"dbrl": 50.0})["dbrl"] == pytest.approx(100 * 0.5 / np.sqrt(5_000))
        assert errors["dr"] == pytest.approx((errors["dbrl"] + errors["prl"]) / 4)
        assert errors["score"] == pytest.approx(errors["dr"] / 2)

    def test_numbers_that_hang_on_the_size_are_those_of_a_short_file(self):
        """s_pmse is in units of chance, and a shift counts the more the longer the file: here six times."""
        files = planted()
        found = found_in(files, ["s_pmse"])
        sample = found.samples["s_pmse"]
        assert (sample.records, sample.number) == (s_pmse.SAMPLE, PARTS)
        short = [
            measure("s_pmse", *(each.to_numpy() for each in planted(s_pmse.SAMPLE, seed)), np.empty((s_pmse.SAMPLE, 0)))
            for seed in range(2, 12)
        ]
        for name in ("s_pmse", "s_pmse_plugin", "pmse"):
            assert number(name).sized
            expected, error = np.mean([each[name] for each in short]), sample.errors[name]
            assert abs(found.numbers["s_pmse"][name] - expected) < 5 * error
        whole = compare(paired(*files)[0], ["s_pmse"]).numbers["s_pmse"]["s_pmse"]
        assert whole > 3 * np.mean([each["s_pmse"] for each in short])
        assert not number("detection_auc").sized

    def test_standard_errors_are_how_far_means_of_samples_stray(self, rng):
        """Of five values with SD 2 the mean strays by 2/√5: in the mean over many, its square is told rightly."""
        drawn = rng.normal(7, 2, (2_000, PARTS))
        told = [averaged([{"a": value} for value in row]) for row in drawn]
        assert np.mean([errors["a"] ** 2 for _, errors in told]) == pytest.approx(4 / PARTS, rel=0.1)
        assert [means["a"] for means, _ in told] == pytest.approx(drawn.mean(axis=1).tolist())

    def test_what_one_sample_lacks_is_not_defined(self):
        means, errors = averaged([{"a": 1.0, "b": 2.0}, {"a": 3.0}])
        assert (means["a"], errors["a"]) == (2, 1)
        assert np.isnan([means["b"], errors["b"]]).all()

    def test_rare_categories_constants_and_gaps(self):
        """What is in none of the samples must not stop them: three records in a town, three gaps, a lone value."""
        before, after = planted()
        rng = np.random.default_rng(3)
        before["town"] = rng.choice(["Bonn", "Jena"], N)
        before.loc[[5, 500, 15_000], "town"] = "Kiel"
        before["flag"] = np.where(np.arange(N) == 77, 1, 0)
        after = after.assign(town=before["town"], flag=before["flag"])
        before.loc[[3, 4_000], "tax"] = after.loc[9, "income"] = np.nan
        found = found_in((before, after), ["s_pmse", "propensity", "gaps", "dbrl"])
        assert found.reasons == {}
        assert set(found.samples) == {"s_pmse", "propensity", "dbrl"}
        assert np.isfinite([value for each in found.numbers.values() for value in each.values()]).all()
        assert found.numbers["gaps"]["gaps_original"] == pytest.approx(100 * 2 / (2 * N))

    def test_files_of_different_length(self):
        before, after = planted()
        both = pair(*(Microdata.of_frame(each, "a file") for each in (before, after[:-2])))
        found = compare(both, ["copy", "s_pmse"], quick=True)
        assert (set(found.numbers), found.samples) == ({"copy"}, {})
        assert "they must agree" in found.reasons["s_pmse"]


class TestFrames:
    def test_all_records_give_what_the_measures_give(self):
        before, after = planted()
        told = sdclab.measure(before, after, measures=["s_pmse"], all_records=True)
        assert "sample" not in told
        expected = measure("s_pmse", before.to_numpy(), after.to_numpy(), np.empty((N, 0)))
        assert dict(zip(told["quantity"], told["value"], strict=True)) == expected

    def test_samples_stand_beside_their_numbers(self):
        told = sdclab.measure(*planted(), measures=["s_pmse", "dr"]).set_index("quantity")
        assert told.loc["s_pmse", ["sample", "samples"]].tolist() == [s_pmse.SAMPLE, PARTS]
        assert told.loc["dbrl", ["sample", "samples"]].tolist() == [5_000, 1]
        assert told.loc["s_pmse", "error"] > 0
        assert told.loc["interval", ["sample", "samples"]].isna().all()
        assert told.loc["interval", "error"] == 0


def test_progress_says_what_is_measured_sample_by_sample(monkeypatch):
    heard = []
    plain = comparison.measured

    def heeded(*given, **options):
        heard.append([(loop.what, loop.done, loop.total) for loop in progress.loops()])
        return plain(*given, **options)

    monkeypatch.setattr(comparison, "measured", heeded)
    found_in(planted(), ["gaps", "s_pmse"])
    assert heard[0] == [("measures", 0, 2), ("gaps", 0, 1)]
    assert heard[1:] == [[("measures", 1, 2), ("s_pmse", 0, 1), ("", i, PARTS)] for i in range(PARTS)]
    assert progress.loops() == ()


def test_slow_measures_come_last():
    found = compare(paired(*planted(60))[0])
    assert next(iter(found.numbers)) == "score"
    assert list(found.numbers)[-4:] == ["clusters", "detection", "propensity", "s_pmse"]
