"""The twelve programs mean the same in Python as in C++, and compute what NumPy does."""

from pathlib import Path

import numpy as np
import programs
import pytest
import tilewright as tw

GOLDEN = Path(__file__).parents[1] / "golden" / "te"


@pytest.mark.parametrize("make", programs.ALL, ids=lambda make: make.__name__)
def test_same_ir_as_cpp(make):
    golden = (GOLDEN / f"{make.__name__}.tw").read_text()
    func = make().func
    assert func.structural_equal(tw.parse(golden)), func.text()
    assert func.structural_hash() == tw.parse(golden).structural_hash()
    assert func.text() == golden


@pytest.mark.parametrize("make", programs.ALL, ids=lambda make: make.__name__)
def test_built_as_written_and_by_default_schedule(make):
    program = make()
    for schedule in (tw.Schedule(program.func), tw.default_schedule(program.func)):
        kernel = tw.build(schedule)
        for sizes in program.sizes:
            inputs = program.make_inputs(sizes)
            actual, expected = kernel(*inputs), program.reference(*inputs)
            if not isinstance(expected, tuple):
                actual, expected = (actual,), (expected,)
            for a, e in zip(actual, expected, strict=True):
                assert a.shape == e.shape
                np.testing.assert_allclose(a, e, rtol=program.tolerance, atol=program.tolerance)


def test_vector_add_split_32():
    sch = tw.Schedule(programs.vector_add().func)
    outer, inner = sch["C"].split(sch["C"].axis[0], 32)
    sch["C"].vectorize(inner)
    assert (sch.loop_extent(outer), sch.loop_extent(inner)) == (32, 32)
    a, b = np.arange(1024, dtype=np.float32), np.ones(1024, np.float32)
    np.testing.assert_array_equal(sch(a, b), a + b)
