"""The data layer: loaders, retrieval, refusal of what is not the data, and the replicas."""

import gzip
import http.server
import socket
import threading
import zipfile
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from conftest import PROJECT, SCHEMAS, needs_originals, originals
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from sdclab.base.errors import SdclabError
from sdclab.base.files import replacing, sha256, write
from sdclab.evidence.fidelity import KEY_NUMBERS
from sdclab.experiment import data, replicas
from sdclab.experiment import study as studies
from sdclab.experiment.scenario import Scenario
from sdclab.methods import hybrid
from sdclab.microdata import manifest, prepare, retrieve
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.rda import data_frames
from sdclab.output.plots import PLOTS

FIXTURES = PROJECT / "tests" / "fixtures"


def quiet(line: str) -> None:
    pass


@pytest.fixture
def folder(tmp_path):
    """An empty data folder, with places that know of nothing else but the replicas."""
    user = tmp_path / "user"
    user.mkdir()
    return retrieve.Places(user, tmp_path / "cache", PROJECT / "resources" / "replicas")


def census_csv(dataset: Dataset) -> list[list[str]]:
    return [line.split(",") for line in dataset.text.splitlines()]


def written(places: retrieve.Places, name: str, rows: list[list[str]]) -> None:
    (places.user / name).write_text("\n".join(",".join(row) for row in rows) + "\n")


class TestManifest:
    def test_names_every_dataset_with_all_that_is_to_be_known(self, entries):
        samples = {"adult_sample_1", "adult_sample_2"}
        assert set(entries) == {"census", "thyroid", "adult", "adult_mixed", "neoplasm", "example"} | samples
        assert len(entries["census"].columns) == 13
        assert len(entries["thyroid"].numbers) == 5
        assert len(entries["thyroid"].categories) == 15
        assert all(entry.licence and entry.obtain for entry in entries.values())

    def test_a_slip_in_it_is_named(self, tmp_path):
        path = tmp_path / "datasets.yaml"
        path.write_text((PROJECT / "resources" / "datasets.yaml").read_text().replace("licence:", "license:", 1))
        with pytest.raises(SdclabError, match=r"datasets.census: unknown key 'license': did you mean licence"):
            manifest.load(path, SCHEMAS / "datasets.schema.yaml")

    def test_a_sample_of_what_is_not_sampled_is_refused(self, tmp_path):
        path = tmp_path / "datasets.yaml"
        text = (PROJECT / "resources" / "datasets.yaml").read_text()
        path.write_text(text.replace("rows: 1080", "rows: 1080\n    sample: 1"))
        with pytest.raises(SdclabError, match=r"datasets.census: sample is given, but only adult can be sampled"):
            manifest.load(path, SCHEMAS / "datasets.schema.yaml")
        path.write_text(text.replace("sample: 1", "sample: 0"))
        with pytest.raises(SdclabError, match=r"adult_sample_1.sample is 0 but must be at least 1"):
            manifest.load(path, SCHEMAS / "datasets.schema.yaml")

    def test_a_sample_has_all_of_adult_but_its_records(self, entries):
        for name in ("adult_sample_1", "adult_sample_2"):
            fields = {
                "name": "adult",
                "title": entries["adult"].title,
                "sample": None,
                "sha256": entries["adult"].sha256,
            }
            assert replace(entries[name], **fields) == entries["adult"]

    def test_an_unknown_dataset_is_named(self, entries):
        with pytest.raises(SdclabError, match="unknown dataset 'sensus': did you mean census"):
            manifest.entry(entries, "sensus")


class TestLoaders:
    def test_r_data_files_as_r_itself_writes_them(self):
        for name in ("frames_v3.rda", "frames_v2_bzip2.rda", "frames_v3_xz.rda"):
            frames = data_frames((FIXTURES / name).read_bytes(), name)
            np.testing.assert_array_equal(frames["toy"]["AGI"], [1.5, 2.25, -3, 4e6])
            np.testing.assert_array_equal(frames["toy"]["FICA"], [1, np.nan, 3, 4])
            assert frames["toy"]["name"] == ["a", "b", None, "d"]
            if "seqs" in frames:
                np.testing.assert_array_equal(frames["seqs"]["id"], [1, 2, 3, 4, 5])

    @pytest.mark.parametrize("content", [b"", b"RDX3\nX\n", b"\x1f\x8b broken", b"no R file at all"])
    def test_what_is_no_r_data_file_is_refused(self, content):
        with pytest.raises(SdclabError, match=r"x\.rda: is not an R data file"):
            data_frames(content, "x.rda")

    def test_census_from_an_r_data_file(self):
        content = (FIXTURES / "frames_v3.rda").read_bytes()
        np.testing.assert_array_equal(prepare.census(content, "x.rda", ("x", "id"))[:, 1], [1, 2, 3, 4, 5])
        with pytest.raises(SdclabError, match="row 2, column FICA is missing"):
            prepare.census(content, "x.rda", ("AGI", "FICA"))
        with pytest.raises(SdclabError, match="no data frame with the columns AGI, PTOTVAL"):
            prepare.census(content, "x.rda", ("AGI", "PTOTVAL"))

    def test_adult_with_and_without_a_header(self):
        line = (
            "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, None, White, Male, 2174, 0, 40, X, <=50K"
        )
        plain = "\n".join([line] * 3)
        headed = ",".join(prepare.ADULT_FIELDS) + "\n" + plain
        columns = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
        for text in (plain, headed):
            values = prepare.adult(text.encode(), "adult.data", columns)
            np.testing.assert_array_equal(values, [[39, 77516, 13, 2174, 0, 40]] * 3)

    def test_adults_text_becomes_codes_by_its_labels(self):
        lines = [
            "39, Private, 1, b, 13, c, d, e, f, Male, 0, 0, 40, h, i",
            "50, ?, 2, b, 9, c, d, e, f, Female, 0, 0, 13, h, i",
        ]
        labels = {"workclass": ("Private", "unknown"), "sex": ("Female", "Male")}
        columns = ("sex", "age", "workclass")
        values = prepare.adult("\n".join(lines).encode(), "adult.data", columns, labels)
        np.testing.assert_array_equal(values, [[1, 39, 0], [0, 50, 1]])
        with pytest.raises(SdclabError, match=r"adult.data: row 2, column sex is none of its categories") as refused:
            prepare.adult("\n".join(lines).encode(), "adult.data", columns, {**labels, "sex": ("Male", "other")})
        assert "Female" not in str(refused.value)

    def test_adult_stops_after_ten_thousand(self):
        line = "39, a, 77516, b, 13, c, d, e, f, g, 2174, 0, 40, h, i\n"
        assert len(prepare.adult((line * 10_050).encode(), "adult.data", ("age",))) == 10_000

    def test_a_sample_of_adult_is_of_all_records_in_file_order(self):
        """Ten thousand of 10,500, the same with a header, another with another seed, none of them twice."""
        lines = [f"{i}, a, 77516, b, 13, c, d, e, f, g, 2174, 0, 40, h, i" for i in range(10_500)]
        texts = ["\n".join(lines), "\n".join([",".join(prepare.ADULT_FIELDS), *lines])]
        one, headed = (prepare.adult(text.encode(), "x", ("age",), sample=1)[:, 0] for text in texts)
        other = prepare.adult(texts[0].encode(), "x", ("age",), sample=2)[:, 0]
        np.testing.assert_array_equal(one, headed)
        assert len(one) == 10_000
        assert (np.diff(one) > 0).all()
        assert one.max() >= 10_000
        assert set(one) != set(other)

    @settings(max_examples=50)
    @given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 10**9))
    def test_a_sample_is_without_replacement(self, size, count, seed):
        rows = prepare.sampled(size, count, seed)
        assert rows == sorted(set(rows))
        assert len(rows) == min(size, count)
        assert set(rows) <= set(range(size))
        assert set(rows) <= set(prepare.sampled(size, count + 1, seed))

    def test_every_record_is_as_likely_to_be_in_a_sample(self):
        """Over 2000 seeds each of 30 records is in a sample of 10 in a third of them; counts are not independent."""
        counts = np.bincount([row for seed in range(1, 2001) for row in prepare.sampled(30, 10, seed)], minlength=30)
        assert chisquare(counts).pvalue > 1e-3

    def test_a_sample_is_the_same_everywhere(self):
        """By hand, with the hashes of the command sha256sum."""
        assert prepare.sampled(6, 3, 1) == [2, 4, 5]

    def test_a_bad_cell_in_a_sample_is_named_by_its_row_in_the_file(self):
        lines = ["39, a, 1, b, 13, c, d, e, f, g, 0, 0, 40, h, i"] * 10_500
        last = prepare.sampled(10_500, 10_000, 1)[-1]
        lines[last] = lines[last].replace("39", "x")
        with pytest.raises(SdclabError, match=rf"x: row {last + 1}, column age is not a number"):
            prepare.adult("\n".join(lines).encode(), "x", ("age",), sample=1)

    @pytest.mark.parametrize("suffix", ["", ".|3733"])
    def test_thyroid_keeps_complete_cases_and_codes_dichotomies(self, suffix):
        flags = "f,f,f,t,f,f,f,f,f,f,f,f,f,t"
        complete = f"41,F,{flags},t,1.3,t,2.5,t,125,t,1.14,t,109,f,?,SVHC,negative{suffix}"
        without_t3 = f"46,M,{flags},t,0.98,f,?,t,109,t,0.91,t,120,f,?,other,negative{suffix}"
        columns = ("age", "TSH", "T3", "T4U", "FTI", "sex", "sick", "psych", "tumor")
        values = prepare.thyroid(f"{complete}\n{without_t3}\n".encode(), "allbp.data", columns)
        np.testing.assert_array_equal(values, [[41, 1.3, 2.5, 1.14, 109, 0, 1, 1, 0]])

    def test_a_bad_thyroid_cell_is_named_by_its_row_in_the_file(self):
        flags = "f,f,f,f,f,f,f,f,f,f,f,f,f,f"
        incomplete = f"46,M,{flags},t,0.98,f,?,t,109,t,0.91,t,120,f,?,other,negative"
        bad = f"41,F,{flags},t,x,t,2.5,t,125,t,1.14,t,109,f,?,SVHC,negative"
        with pytest.raises(SdclabError, match=r"allbp\.data: row 3, column TSH is not a number"):
            prepare.thyroid("\n".join([incomplete, incomplete, bad]).encode(), "allbp.data", ("age", "TSH"))

    @needs_originals
    @pytest.mark.parametrize(
        ("name", "rows"),
        [
            ("census", 1080),
            ("thyroid", 1947),
            *((f"adult{end}", 10_000) for end in ("", "_mixed", "_sample_1", "_sample_2")),
        ],
    )
    def test_the_real_files(self, dataset, entries, name, rows):
        original = dataset(name)
        assert (original.kind, len(original.values)) == ("original", rows)
        assert original.fingerprint == entries[name].sha256

    def test_neoplasm_takes_a_users_extract_or_the_generator(self, entries, folder):
        stand_in = retrieve.retrieve(entries["neoplasm"], folder, False, quiet)
        assert (stand_in.kind, stand_in.values.shape) == ("stand-in", (19_502, 3))
        extract = [["ID", "CHARGE", "AGE_YRS", "LOS"]]
        extract += [["x", str(i), str(i % 90), str(i % 30 + 1)] for i in range(19_502)]
        written(folder, "neoplasm.csv", extract)
        own = retrieve.retrieve(entries["neoplasm"], folder, False, quiet)
        assert own.kind == "original"
        np.testing.assert_array_equal(own.values[5], [5, 6, 5])

    def test_the_stand_ins_are_plausible_and_repeatable(self, entries, folder):
        for name in ("neoplasm", "example"):
            first, second = (retrieve.retrieve(entries[name], folder, False, quiet) for _ in range(2))
            assert first.fingerprint == second.fingerprint
            assert len(first.values) == entries[name].rows
        age, stay, charge = retrieve.retrieve(entries["neoplasm"], folder, False, quiet).values.T
        assert 0 <= age.min() < 18 < 55 < np.median(age) < 70 < age.max() <= 100
        assert stay.min() >= 1
        assert np.corrcoef(np.log(stay), np.log(charge))[0, 1] > 0.4


class TestRetrieval:
    def test_the_users_folder_comes_before_the_replica(self, entries, folder, dataset):
        assert retrieve.retrieve(entries["census"], folder, False, quiet).kind == "replica"
        replica = dataset("census")
        entry = replace(entries["census"], sha256=replica.fingerprint)
        written(folder, "census.csv", census_csv(replica))
        assert retrieve.retrieve(entry, folder, False, quiet).source == "census.csv"

    def test_falling_back_is_said_once_and_loudly(self, entries, folder):
        said = []
        retrieve.retrieve(entries["census"], folder, False, said.append)
        assert len(said) == 1
        assert "THE ORIGINAL IS NOT AT HAND; using the replica: census.csv.gz" in said[0]

    def test_a_missing_folder_is_refused(self, tmp_path):
        with pytest.raises(SdclabError, match=r"nowhere: the data folder \(data_dir or SDCLAB_DATA\) does not exist"):
            retrieve.Places(tmp_path / "nowhere", tmp_path, tmp_path)

    def test_a_flag_with_three_values_is_named(self, entries, dataset):
        data = dataset("thyroid")
        values = data.values.copy()
        values[5, data.columns.index("goitre")] = 2
        content = data.with_values("original", "test", values).text.encode()
        entry = replace(entries["thyroid"], preparation="table")
        with pytest.raises(
            SdclabError, match=r"thyroid\.csv: column goitre has values that are not among its categories 0, 1"
        ):
            retrieve.prepared(entry, content, "thyroid.csv")

    def test_an_altered_file_is_refused_with_both_fingerprints(self, entries, folder, dataset):
        rows = census_csv(dataset("census"))
        rows[7][3] = "1"
        written(folder, "census.csv", rows)
        with pytest.raises(SdclabError) as refused:
            retrieve.retrieve(entries["census"], folder, False, quiet)
        text = "\n".join(",".join(row) for row in rows) + "\n"
        assert entries["census"].sha256 in str(refused.value)
        assert sha256(text.encode()) in str(refused.value)

    @pytest.mark.parametrize(
        ("row", "column", "cell", "message"),
        [
            (0, 1, "AGIX", "unknown column 'AGI': did you mean AGIX"),
            (5, 2, "12a", "row 5, column EMCONTRB is not a number"),
            (5, 2, "1_000", "row 5, column EMCONTRB is not a number"),
            (6, 0, "", "row 6, column AFNLWGT is missing"),
            (6, 0, "nan", "row 6, column AFNLWGT is NaN or infinite"),
            (6, 0, "inf", "row 6, column AFNLWGT is NaN or infinite"),
        ],
    )
    def test_a_bad_cell_is_named_but_not_quoted(self, entries, folder, dataset, row, column, cell, message):
        rows = census_csv(dataset("census"))
        rows[row][column] = cell
        written(folder, "census.csv", rows)
        with pytest.raises(SdclabError, match=message) as refused:
            retrieve.retrieve(entries["census"], folder, False, quiet)
        assert "census.csv" in str(refused.value)
        assert "12a" not in str(refused.value)

    def test_a_short_row_and_a_short_file_are_named(self, entries, folder, dataset):
        rows = census_csv(dataset("census"))
        written(folder, "census.csv", [*rows[:3], rows[3][:-1], *rows[4:]])
        with pytest.raises(SdclabError, match="row 3 has 12 fields, but there are 13 columns"):
            retrieve.retrieve(entries["census"], folder, False, quiet)
        written(folder, "census.csv", rows[:100])
        with pytest.raises(SdclabError, match="gives 99 records of census, but 1080 are expected"):
            retrieve.retrieve(entries["census"], folder, False, quiet)

    def test_an_altered_replica_is_refused(self, entries, tmp_path):
        text = gzip.decompress((PROJECT / "resources" / "replicas" / "census.csv.gz").read_bytes())
        (tmp_path / "census.csv.gz").write_bytes(gzip.compress(text.replace(b"1", b"2", 1)))
        with pytest.raises(SdclabError, match=f"expected {entries['census'].replica.sha256}"):
            retrieve.substitute(entries["census"], retrieve.Places(None, tmp_path, tmp_path))
        whole = gzip.compress(text)
        (tmp_path / "census.csv.gz").write_bytes(whole[:50] + b"\0\0\0" + whole[53:])
        with pytest.raises(SdclabError, match=r"census\.csv\.gz: is not a gzip file"):
            retrieve.substitute(entries["census"], retrieve.Places(None, tmp_path, tmp_path))
        (tmp_path / "census.csv.gz").write_bytes(b"no gzip")
        with pytest.raises(SdclabError, match=r"census\.csv\.gz: is not a gzip file"):
            retrieve.substitute(entries["census"], retrieve.Places(None, tmp_path, tmp_path))


@pytest.fixture
def server(tmp_path):
    """A web server on this machine with a folder of its own."""
    root = tmp_path / "www"
    root.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=str(root), **kwargs)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield root, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


class TestDownload:
    @pytest.fixture
    def entry(self, entries, dataset):
        """The census entry, with what is at hand for its original."""
        return replace(entries["census"], sha256=dataset("census").fingerprint)

    def test_a_zip_archive_is_fetched_checked_and_cached(self, entry, server, folder, dataset):
        root, address = server
        content = dataset("census").text.encode()
        with zipfile.ZipFile(root / "c.zip", "w") as archive:
            archive.writestr("census.csv", content)
        source = manifest.Download(f"{address}/c.zip", "census.csv", sha256(content), "census.csv")
        fetched = retrieve.retrieve(replace(entry, downloads=(source,)), folder, True, quiet)
        assert fetched.kind == "original"
        assert (folder.cache / "census.csv").read_bytes() == content
        (root / "c.zip").unlink()
        assert retrieve.retrieve(replace(entry, downloads=(source,)), folder, True, quiet).kind == "original"

    @pytest.mark.parametrize(
        ("content", "sha", "member", "message"),
        [
            (b"something else", "0" * 64, None, "expected " + "0" * 64),
            (b"something else", None, "census.csv", "is not a zip archive with census.csv"),
            (b"A,B\n1,2\n", None, None, "unknown column"),
        ],
    )
    def test_what_is_not_the_data_is_not_kept(self, entry, server, folder, content, sha, member, message):
        root, address = server
        (root / "c").write_bytes(content)
        source = manifest.Download(f"{address}/c", "census.csv", sha, member)
        said = []
        fetched = retrieve.retrieve(replace(entry, downloads=(source,)), folder, True, said.append)
        assert fetched.kind == "replica"
        assert message in said[0]
        assert not folder.cache.exists()

    def test_an_unreachable_address_falls_back_quickly(self, entry, folder):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        sources = (
            manifest.Download(f"http://127.0.0.1:{port}/c", "census.csv"),
            manifest.Download("http://unresolvable.invalid/c", "census.csv"),
        )
        said = []
        fetched = retrieve.retrieve(replace(entry, downloads=sources), folder, True, said.append)
        assert fetched.kind == "replica"
        assert ["could not be downloaded" in line for line in said] == [True, True, False]

    def test_a_stalling_server_is_given_up(self, entry, folder, monkeypatch):
        monkeypatch.setattr(retrieve, "CONNECT_SECONDS", 0.2)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            source = manifest.Download(f"http://127.0.0.1:{silent.getsockname()[1]}/c", "census.csv")
            said = []
            assert retrieve.retrieve(replace(entry, downloads=(source,)), folder, True, said.append).kind == "replica"
        assert "timed out" in said[0]


def columns_of(entry, dataset):
    return dataset.select(entry.numbers, "test")


class TestReplicas:
    @pytest.fixture(params=["census", "thyroid", "adult", "adult_mixed"])
    def entry(self, request, entries):
        return entries[request.param]

    @pytest.fixture
    def replica(self, entry, places):
        return retrieve.substitute(entry, places)

    def test_have_the_manifests_fingerprint_and_size(self, entry, replica):
        assert replica.fingerprint == entry.replica.sha256
        assert replica.values.shape == (entry.rows, len(entry.columns))

    def test_census_keeps_v5_as_the_sum_of_v8_and_v10(self, entries, places):
        total, other, earned = (
            retrieve.substitute(entries["census"], places).select(("PTOTVAL", "POTHVAL", "PEARNVAL"), "test").T
        )
        assert (total == other + earned).all()

    def test_adult_mixed_is_typed_with_taxonomies_and_raw_in_its_numbers(self, entries, places, tmp_path):
        """From the manifest over the files that the workflow keeps to what a scenario sees, on the replica."""
        entry = entries["adult_mixed"]
        table, about = tmp_path / "adult_mixed.csv", tmp_path / "adult_mixed.json"
        retrieve.substitute(entry, places).write(table, about)
        mixed = Scenario("mixed", entry.name, ("age", "workclass", "sex"), types=entry.types)
        workclass = mixed.attributes(data.read(mixed, table, about)).dependent[1]
        assert (workclass.type, workclass.leaves[:2]) == ("nominal", ("Federal-gov", "State-gov"))
        assert workclass.categories[len(workclass.leaves) :] == (
            "government",
            "self-employed",
            "working",
            "not paid",
            "*",
        )
        raw = Scenario("raw", entry.name, ("age", "fnlwgt"))
        assert raw.attributes(data.read(raw, table, about)) is None

    @needs_originals
    def test_adult_mixed_has_the_numbers_of_adult(self, entries, dataset):
        numbers = dataset("adult_mixed").select(entries["adult"].columns, "test")
        np.testing.assert_array_equal(numbers, dataset("adult").values)

    def test_dichotomies_stay_dichotomies(self, entries, places):
        flags = retrieve.substitute(entries["thyroid"], places).select(entries["thyroid"].categories, "test")
        assert set(np.unique(flags)) == {0, 1}

    @needs_originals
    def test_keep_means_and_covariances_but_for_rounding(self, entry, replica, dataset):
        a, b = columns_of(entry, dataset(entry.name)), columns_of(entry, replica)
        spread = a.std(axis=0)
        # rounding to d decimals is a slip of SD 10^-d / sqrt(12), of a total sqrt(2) as much; n slips average out
        slip = np.sqrt(2 / 12) * 10.0 ** -np.array([replicas.decimals(column) for column in a.T]) / spread
        apart = 5 * slip / np.sqrt(len(a))
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) / spread < apart).all()
        off = np.abs(np.cov(a.T) - np.cov(b.T)) / np.outer(spread, spread)
        assert (off < np.diag(slip**2) + np.add.outer(apart, apart)).all()
        flags = entry.categories
        means = [x.select(flags, "test").mean(axis=0) for x in (dataset(entry.name), replica)]
        np.testing.assert_array_equal(*means)

    @needs_originals
    def test_hold_no_original_record(self, entry, replica, dataset):
        a, b = columns_of(entry, dataset(entry.name)), columns_of(entry, replica)
        assert not set(map(tuple, a)) & set(map(tuple, b))

    @needs_originals
    @pytest.mark.parametrize(
        ("name", "columns"),
        [("census", pair) for pair in combinations(("PEARNVAL", "WSALVAL", "ERNVAL"), 2)]
        + [("adult", ("capital-gain", "capital-loss"))],
    )
    def test_keep_how_often_attributes_are_equal(self, entries, places, dataset, name, columns):
        pairs = (x.select(columns, "test") for x in (dataset(name), retrieve.substitute(entries[name], places)))
        counts = [int((one == other).sum()) for one, other in (pair.T for pair in pairs)]
        assert counts[0] == counts[1] > 800

    @needs_originals
    def test_have_as_many_decimals_as_the_original(self, entry, replica, dataset):
        a, b = columns_of(entry, dataset(entry.name)), columns_of(entry, replica)
        assert list(map(replicas.decimals, a.T)) == list(map(replicas.decimals, b.T))

    @pytest.mark.slow
    @needs_originals
    def test_can_be_made_again_on_any_processor(self, entry, dataset):
        made = replicas.make(entry, dataset(entry.name), entry.replica)
        assert made.dataset.fingerprint == entry.replica.sha256
        assert min(made.sizes) >= entry.replica.k
        _, *said = rows_of_readme()[entry.name]
        assert list(map(int, said[:4])) == [entry.rows, made.k, len(made.sizes), min(made.sizes)]
        # the printed decimals of a measure may differ by one on another processor
        assert float(said[4]) == pytest.approx(made.quality["pil"], abs=0.015)
        assert float(said[5]) == pytest.approx(made.quality["dr"], abs=0.015)

    @pytest.mark.parametrize("number", [each for each in KEY_NUMBERS if each.cell.scenario in ("S1", "S2", "adult")])
    def test_the_readme_tells_what_becomes_of_the_studies(self, number, entries, places):
        path = PROJECT / "config" / "studies" / f"{number.cell.study}.yaml"
        scenario = studies.load(path, SCHEMAS / "study.schema.yaml", entries, PLOTS).scenarios[number.cell.scenario]
        ours = number.of(retrieve.substitute(entries[scenario.dataset], places), scenario)
        assert float(rows_of_readme()[number.about][2]) == pytest.approx(ours[0], rel=0.05)

    @pytest.mark.slow
    @needs_originals
    def test_lead_the_mixture_of_thyroid_to_as_many_clusters(self, entries, places, dataset):
        entry = entries["thyroid"]
        sizes = [
            sorted(np.bincount(hybrid.clustered(columns_of(entry, data), 60)[1]))
            for data in (dataset("thyroid"), retrieve.substitute(entry, places))
        ]
        assert len(sizes[0]) == len(sizes[1])
        np.testing.assert_allclose(sizes[1], sizes[0], rtol=0.2)


def rows_of_readme():
    """The cells of the tables beside the replicas, by the name of the replica or of the number."""
    lines = (PROJECT / "resources" / "replicas" / "README.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: row for row in rows} | {row[1]: row[1:] for row in rows}


class TestSynthesis:
    """How replicas are drawn, on records that have equal attributes, sums and a point mass."""

    @pytest.fixture
    def records(self, rng):
        x = np.round(rng.lognormal(8, 1, (300, 3)))
        kind = np.repeat([0, 1, 2], [240, 30, 30])  # three patterns, the first of them common
        paid = np.where(kind == 1, x[:, 1], x[:, 0])
        gain = np.where(kind == 2, x[:, 2], 0)
        return np.column_stack([x, paid, x[:, 0] + x[:, 1], gain])

    @pytest.fixture
    def clusters(self, records):
        return replicas.clusters(records, manifest.Replica("file", 10, "sha256"))

    def test_keeps_every_clusters_mean_and_covariances(self, records, clusters, rng):
        drawn = replicas.synthesise(records, clusters, rng)
        assert sorted(np.concatenate(clusters)) == list(range(300))
        assert min(map(len, clusters)) >= 10
        for members in clusters:
            np.testing.assert_allclose(drawn[members].mean(axis=0), records[members].mean(axis=0), rtol=1e-10)
            np.testing.assert_allclose(np.cov(drawn[members].T), np.cov(records[members].T), rtol=1e-8, atol=1e-6)

    def test_keeps_patterns_and_sums(self, records, clusters, rng):
        drawn = replicas.rounded(replicas.synthesise(records, clusters, rng), records)
        np.testing.assert_array_equal(drawn[:, 0] == drawn[:, 3], records[:, 0] == records[:, 3])
        np.testing.assert_array_equal(drawn[:, 5] == 0, records[:, 5] == 0)
        assert np.abs(drawn[:, 0] + drawn[:, 1] - drawn[:, 4]).max() <= 1

    def test_no_last_bit_decides(self, records, rng):
        """Attributes with equal variances and no correlations: rounding decides which singular vectors they have."""
        even = np.linalg.qr(records[:, :3] - records[:, :3].mean(axis=0))[0]
        x = np.column_stack([even, even[:, 0] + even[:, 1]])
        other = x * (1 + 1e-15 * rng.standard_normal(x.shape))
        clusters = [np.arange(300)]
        a, b = (replicas.synthesise(each, clusters, np.random.default_rng(1)) for each in (x, other))
        np.testing.assert_allclose(a, b, atol=1e-12)

    def test_joins_patterns_that_too_few_records_have(self):
        x = np.column_stack([np.arange(100.0), np.arange(100.0)])
        x[:3, 1] = -1
        assert [len(part) for part in replicas.by_pattern(x, 3)] == [3, 97]
        assert [len(part) for part in replicas.by_pattern(x, 4)] == [100]


@needs_originals
def test_the_upstream_trimmings_do_not_change_the_fingerprint(entries, tmp_path):
    """UCI's own thyroid file carries `.|id` behind the class; a CSV of Adult may carry a header and no spaces."""
    for name, file, edit in (
        ("thyroid", "thyroid_allbp.data", lambda i, line: f"{line}.|{i}"),
        ("adult", "adult.data", lambda i, line: line.replace(", ", ",")),
    ):
        lines = (originals() / file).read_text().splitlines()
        changed = [edit(i, line) for i, line in enumerate(lines) if line]
        header = [",".join(prepare.ADULT_FIELDS)] if name == "adult" else []
        content = "\n".join(header + changed).encode()
        assert retrieve.prepared(entries[name], content, file).fingerprint == entries[name].sha256


def test_the_results_of_a_failed_write_leave_nothing(tmp_path):
    def half() -> None:
        with replacing(tmp_path / "x.csv") as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(SdclabError, match="cannot write here"):
        write(tmp_path / "file" / "x.csv", "text")


def test_a_file_that_is_cut_short_is_a_stand_in_with_a_fingerprint_of_its_own(census):
    assert census.head(None) is census
    assert census.head(1080) is census
    short = census.head(50)
    assert (short.kind, len(short.values)) == ("stand-in", 50)
    assert short.source == f"the first 50 records of {census.source}"
    assert short.fingerprint != census.fingerprint
    assert (short.values == census.values[:50]).all()
