"""Composite steps: the results are those of the C++ functions, misuse says what is wrong."""

import json

import programs
import pytest
import tilewright as tw
from tilewright import composite, te


def matmul_schedule(seed=0):
    sch = tw.Schedule(programs.matmul().func, seed=seed)
    return sch, sch.get_block("C")


def check(sch):
    tw.testing.assert_allclose(sch)
    again = tw.Schedule.replay(sch.original, sch.trace.to_json())
    assert again.func.structural_equal(sch.func)


def by_hand():
    """What tiled() does, in primitives."""
    sch, c = matmul_schedule()
    i, j, k = sch.get_loops(c)
    i0, i1 = sch.split(i, 4)
    j0, j1 = sch.split(j, 16)
    sch.reorder(i0, j0, k, i1, j1)
    out = sch.cache_write(c, "register")
    sch.reverse_compute_at(out, j0)
    staged = sch.cache_read(c, "A", "local")
    sch.compute_at(staged, i0)
    panel = sch.pack(c, "B", "(d0, d1) -> (d0, d1 // 16, d1 % 16)", pad={1: 16})
    sch.compute_at(panel, j0)
    d0, d1 = sch.get_loops(panel)[-2:]
    d1_outer, d1_inner = sch.split(d1, 16)
    sch.reorder(d0, d1_outer, d1_inner)
    sch.unroll(d1_inner)
    for rows, columns in ((i1, j1), sch.get_loops(out)[-2:]):
        vectors, lanes = sch.split(columns, 8)
        sch.unroll(rows)
        sch.unroll(vectors)
        sch.vectorize(lanes)
    return sch


def tiled():
    sch, c = matmul_schedule()
    (i0, j0), _, (i1, j1) = composite.multi_level_tile(sch, c, "SRS", [[4], [16], []])
    out = composite.accumulate_in_registers(sch, c, j0)
    composite.stage_in_cache(sch, c, "A", i0)
    composite.stage_panels(sch, c, "B", j0, 1, 16)
    composite.unroll_tile(sch, i1, j1, 8)
    composite.unroll_tile(sch, *sch.get_loops(out)[-2:], 8)
    return sch


def test_tiles_are_the_primitives_by_hand():
    sch = tiled()
    assert sch.func.structural_equal(by_hand().func)
    check(sch)


def test_multi_level_tile():
    sch, c = matmul_schedule()
    levels = composite.multi_level_tile(sch, c, "SSRSRS", [[None, 2, 2, 2], [2, 1, 4], [None, 4]])
    assert [len(level) for level in levels] == [2, 2, 1, 2, 1, 2]
    assert [sch.loop_extent(x) for x in levels[0]] == [3, 3]
    assert [sch.loop_extent(x) for x in levels[5]] == [2, 4]
    composite.parallelize_outer(sch, c, 2)
    sch.vectorize(levels[5][1])
    check(sch)


def test_reductions_and_vectors():
    sch, c = matmul_schedule()
    parts = composite.split_reduction(sch, sch.get_loops(c)[2], 4)
    composite.parallelize_outer(sch, parts)
    check(sch)
    n = te.var("n")
    a = te.placeholder((n,), "float32", "A")
    b = te.compute((n,), lambda i: a[i] + 1, "B")
    sch = tw.Schedule(te.create_prim_func([a, b]))
    inner = composite.vectorize_inner(sch, sch.get_block("B"), 8)
    assert sch.loop_extent(inner) == 8
    tw.testing.assert_allclose(sch, sizes={"n": 21})


def test_sampled_tiles_stay_decisions():
    sch, c = matmul_schedule(seed=3)
    rows = sch.sample_perfect_tile(sch.get_loops(c)[0], 2, max_innermost=5, name="rows")
    levels = composite.multi_level_tile(sch, c, "SRS", [rows, [8], []])
    composite.stage_panels(sch, c, "A", levels[0][0], 0, rows[1])
    packs = [step for step in json.loads(sch.trace.to_json())["insts"] if step[0] == "pack"]
    assert packs[0][3]["map"] == "(d0, d1) -> (d0 // $rows[1], d1, d0 % $rows[1])"
    check(sch)


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (lambda s, c: composite.multi_level_tile(s, c, "", [[], [], []]), "structure"),
        (lambda s, c: composite.multi_level_tile(s, c, "SXS", [[2], [2], []]), "structure"),
        (lambda s, c: composite.multi_level_tile(s, c, "SS", [[2], [2], []]), "structure"),
        (lambda s, c: composite.multi_level_tile(s, c, "SRS", [[2], [2]]), "factors"),
        (lambda s, c: composite.multi_level_tile(s, c, "SRS", [[2, 2, 2], [2], []]), "factors"),
        (lambda s, c: composite.parallelize_outer(s, c, 4), "count"),
        (lambda s, c: composite.stage_panels(s, c, "A", s.get_loops(c)[0], 2, 4), "dimension"),
        (lambda s, c: composite.stage_panels(s, c, "Z", s.get_loops(c)[0], 0, 4), "dimension"),
    ],
)
def test_misuse_has_a_code(use, code):
    sch, c = matmul_schedule()
    before = sch.func
    with pytest.raises(tw.TilewrightError) as caught:
        use(sch, c)
    assert caught.value.code.startswith("schedule.")
    assert caught.value.code.endswith("." + code)
    assert sch.func.structural_equal(before)


def test_tiling_twice_is_refused():
    sch, c = matmul_schedule()
    composite.multi_level_tile(sch, c, "SRS", [[4], [4], []])
    with pytest.raises(tw.TilewrightError, match="before its loops are split"):
        composite.multi_level_tile(sch, c, "SRS", [[2]] * 4 + [[]])


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda s, c: composite.multi_level_tile(s.func, c, "SRS", []), "expected a Schedule"),
        (lambda s, c: composite.multi_level_tile(s, "C", "SRS", []), "get_block"),
        (lambda s, c: composite.multi_level_tile(s, c, ["S"], []), "structure is a str"),
        (lambda s, c: composite.stage_in_cache(s, c, "A", c), "get_loops"),
        (lambda s, c: composite.unroll_tile(s, 0, 1, 8), "rows is a Loop"),
        (lambda s, c: composite.split_reduction(s, None, 4), "loop is a Loop"),
    ],
)
def test_wrong_types_name_the_argument(use, text):
    sch, c = matmul_schedule()
    with pytest.raises(TypeError, match=text):
        use(sch, c)
