"""rotation: every attribute is turned by default."""

import numpy as np
import pytest
import yaml
from conftest import PROJECT

from sdclab.methods import protect


class TestRotation:
    @pytest.mark.parametrize("p", [2, 3, 4, 5, 8])
    @pytest.mark.parametrize("rotation", ["planes", "haar"])
    def test_turns_every_attribute_by_default(self, p, rotation):
        x = np.random.default_rng(1).normal(size=(80, p))
        made = protect("rotation", x, x[:, :0], np.random.default_rng(2), {"rotation": rotation})
        assert np.all(np.abs(made - x).max(axis=0) > 0.1 * x.std(axis=0))

    def test_the_papers_first_plane_leaves_the_others(self):
        x = np.random.default_rng(1).normal(size=(80, 4))
        made = protect("rotation", x, x[:, :0], np.random.default_rng(2), {"planes": "1-2"})
        np.testing.assert_allclose(made[:, 2:], x[:, 2:], rtol=0, atol=1e-12)

    def test_the_study_names_the_papers_plane(self):
        """Its default, once the paper's plane, is none any more."""
        study = yaml.safe_load((PROJECT / "config/studies/ahmed_rauf_2016.yaml").read_text())
        named = [entry["parameters"] for entry in study["grid"] if entry["method"] == "rotation"]
        assert named == [{"planes": "1-2"}]
