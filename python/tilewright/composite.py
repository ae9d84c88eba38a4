"""Steps that come up again and again, made of primitives.

They are ordinary functions over the methods of `Schedule`: the trace holds the primitives they
call, and a function of your own is written the same way. `tilewright/schedule/composite.h` has the
same functions in C++, with the same results.
"""

from collections.abc import Sequence

from _tilewright import BlockRef, Loop, SampledInt, Schedule, Tensor, TilewrightError

__all__ = [
    "accumulate_in_registers",
    "multi_level_tile",
    "parallelize_outer",
    "split_reduction",
    "stage_in_cache",
    "stage_panels",
    "unroll_tile",
    "vectorize_inner",
]

Int = int | SampledInt
Factor = Int | None


def _fail(code: str, text: str) -> TilewrightError:
    error = TilewrightError(f"{code.rsplit('.')[1]}: {text}")
    error.code = code  # type: ignore[misc]
    return error


def _check(function: str, sch: Schedule, **handles: object) -> None:
    """TypeError naming the argument that is no handle; a tensor or a name is not one."""
    if not isinstance(sch, Schedule):
        raise TypeError(f"{function}: expected a Schedule first, got {type(sch).__name__}")
    for name, handle in handles.items():
        wanted = BlockRef if name in ("block", "consumer") else Loop
        if not isinstance(handle, wanted):
            hint = (
                "; get it with sch.get_block(...)"
                if wanted is BlockRef
                else "; get it with sch.get_loops(block)"
            )
            raise TypeError(
                f"{function}: {name} is a {wanted.__name__}, got {type(handle).__name__}{hint}"
            )


def _kinds(sch: Schedule, block: BlockRef, loops: Sequence[Loop]) -> list[str]:
    """'S' or 'R' for each loop around the block."""
    stage = sch[sch.block_name(block)]
    kinds = []
    for loop in loops:
        if loop not in stage.axis and loop not in stage.reduce_axis:
            raise _fail(
                "schedule.multi_level_tile.loop",
                f"loop '{sch.loop_name(loop)}' is not by itself an axis of block "
                f"'{sch.block_name(block)}'; tile a block before its loops are split or fused",
            )
        kinds.append("S" if loop in stage.axis else "R")
    return kinds


def multi_level_tile(
    sch: Schedule,
    block: BlockRef,
    structure: str,
    factors: Sequence[Sequence[Factor]],
    *,
    tail: str = "guard",
) -> list[list[Loop]]:
    """Splits every loop around `block` and orders the parts by levels.

    `structure` has one letter a level, outermost first: S for all spatial loops, R for all
    reduction loops. `factors` holds one list for each loop, in the order of get_loops, with one
    factor for each level of its kind; one fewer leaves the outermost open. Gives the loops level
    by level.

        for i: for j: for k:      multi_level_tile(sch, C, "SRS", [[8], [16], []])
          C[i, j] += ...      ->  for i_0: for j_0: for k:
                                    for i_1 in 0..8: for j_1 in 0..16: C[...] += ...

    Raises TilewrightError schedule.multi_level_tile.structure, .loop or .factors before anything is
    changed, and what split and reorder raise.
    """
    _check("multi_level_tile", sch, block=block)
    if not isinstance(structure, str):
        raise TypeError(f"multi_level_tile: structure is a str, got {type(structure).__name__}")
    if not structure or set(structure) - set("SR"):
        raise _fail(
            "schedule.multi_level_tile.structure",
            f"structure '{structure}' is not made of the letters S (spatial loops) and R "
            '(reduction loops), such as "SSRSRS"',
        )
    loops = sch.get_loops(block)
    kinds = _kinds(sch, block, loops)
    if len(factors) != len(loops):
        raise _fail(
            "schedule.multi_level_tile.factors",
            f"{len(factors)} lists of factors for the {len(loops)} loops of block "
            f"'{sch.block_name(block)}'; give one a loop",
        )
    plan: list[list[Factor]] = []
    for loop, kind, given in zip(loops, kinds, factors, strict=True):
        levels = structure.count(kind)
        if levels == 0:
            raise _fail(
                "schedule.multi_level_tile.structure",
                f"structure '{structure}' has no level {kind} for loop '{sch.loop_name(loop)}'",
            )
        full = list(given)
        if len(full) + 1 == levels:
            full.insert(0, None)
        if len(full) != levels:
            raise _fail(
                "schedule.multi_level_tile.factors",
                f"loop '{sch.loop_name(loop)}' is cut into {levels} levels ('{kind}'), but "
                f"{len(given)} factors are given; give one a level, or one fewer to leave the "
                "outermost open",
            )
        plan.append(full)
    parts = [
        [loop] if len(full) == 1 else sch.split(loop, factors=full, tail=tail)
        for loop, full in zip(loops, plan, strict=True)
    ]
    levels_made: list[list[Loop]] = []
    used = {"S": 0, "R": 0}
    for letter in structure:
        at = used[letter]
        used[letter] += 1
        levels_made.append([p[at] for p, kind in zip(parts, kinds, strict=True) if kind == letter])
    if loops:
        sch.reorder(*(loop for level in levels_made for loop in level))
    return levels_made


def stage_in_cache(
    sch: Schedule, consumer: BlockRef, buffer: Tensor | str, loop: Loop, scope: str = "local"
) -> BlockRef:
    """`consumer` reads `buffer` from a copy made inside `loop`, only as much as one iteration
    needs.

        for i_0: for i_1: for k:        for i_0:
          C[...] += A[...]          ->    for ...: A_local[...] = A[...]
                                          for i_1: for k: C[...] += A_local[...]

    cache_read and compute_at. Gives the copying block.
    """
    _check("stage_in_cache", sch, consumer=consumer, loop=loop)
    copy = sch.cache_read(consumer, buffer, scope)
    sch.compute_at(copy, loop)
    return copy


def accumulate_in_registers(sch: Schedule, block: BlockRef, loop: Loop) -> BlockRef:
    """`block` works in a buffer in registers, copied out at the end of each iteration of `loop`.

        for i_0: for k: for i_1:        for i_0:
          C[...] += ...             ->    for k: for i_1: C_register[...] += ...
                                          for ...: C[...] = C_register[...]

    cache_write and reverse_compute_at. Every loop inside `loop` that indexes the buffer must be
    unrolled or vectorized before the program is built. Gives the copying block.
    """
    _check("accumulate_in_registers", sch, block=block, loop=loop)
    copy = sch.cache_write(block, "register")
    sch.reverse_compute_at(copy, loop)
    return copy


def vectorize_inner(sch: Schedule, block: BlockRef, lanes: Int, *, tail: str = "guard") -> Loop:
    """The innermost loop of `block` in vectors of `lanes` elements; gives the vectorized loop.

        for i in 0..n: C[i] = ...   ->   for i_0 in 0..ceil(n / 8):
                                           vectorized i_1 in 0..8: C[...] = ...

    A loop of a constant extent up to `lanes` becomes one vector.
    """
    _check("vectorize_inner", sch, block=block)
    loops = sch.get_loops(block)
    if not loops:
        raise _fail(
            "schedule.vectorize_inner.no_loop",
            f"block '{sch.block_name(block)}' has no loop around it; add_unit_loop gives it one",
        )
    inner = loops[-1]
    extent = sch.loop_extent(inner)
    if extent is None or extent > int(lanes):
        inner = sch.split(inner, lanes, tail=tail)[1]
    sch.vectorize(inner)
    return inner


def unroll_tile(sch: Schedule, rows: Loop, columns: Loop, lanes: Int) -> None:
    """A register tile: all of `rows`, and `columns` in vectors of `lanes` elements, side by side.

    for i in 0..6:                      unrolled i in 0..6:
      for j in 0..16: C[i, j] ...   ->    unrolled j_0 in 0..2: vectorized j_1 in 0..8: C[...] ...
    """
    _check("unroll_tile", sch, rows=rows, columns=columns)
    vectors, lane = sch.split(columns, lanes)
    sch.unroll(rows)
    sch.unroll(vectors)
    sch.vectorize(lane)


def parallelize_outer(sch: Schedule, block: BlockRef, count: int = 1) -> Loop:
    """The `count` outermost loops of `block`, directly nested, as one parallel loop, which is
    given.

    for i: for j: for k: ...   ->   parallel i_j: for k: ...
    """
    _check("parallelize_outer", sch, block=block)
    loops = sch.get_loops(block)
    if not 1 <= count <= len(loops):
        raise _fail(
            "schedule.parallelize_outer.count",
            f"{count} loops of the {len(loops)} around block '{sch.block_name(block)}'; "
            "give at least 1",
        )
    outer = loops[0] if count == 1 else sch.fuse(*loops[:count])
    sch.parallel(outer)
    return outer


def split_reduction(sch: Schedule, loop: Loop, nparts: Int, *, tail: str = "guard") -> BlockRef:
    """A reduction in `nparts` independent parts and their sum; gives the block that computes the
    parts.

        for i: for k:             for i: for k_0 in 0..4: for k_1: B_rf[k_0, i] += A[...]
          B[i] += A[i, k]   ->    for i: for k_0 in 0..4: B[i] += B_rf[k_0, i]

    split and rfactor of the outer part, so that the parts can run in parallel or in lanes.
    Changes the order of a float sum, as rfactor does.
    """
    _check("split_reduction", sch, loop=loop)
    return sch.rfactor(sch.split(loop, nparts=nparts, tail=tail)[0])


def _number_in_map(number: Int) -> str:
    name = number.name if isinstance(number, SampledInt) else ""
    if name and all(c.isascii() and (c.isalnum() or c in "_.[]") for c in name):
        return "$" + name
    return str(int(number))


def stage_panels(
    sch: Schedule,
    consumer: BlockRef,
    buffer: Tensor | str,
    loop: Loop,
    dimension: int,
    tile: Int,
    *,
    rank: int | None = None,
) -> BlockRef:
    """`consumer` reads `buffer` from panels of `tile` elements of one dimension, which lies
    innermost.

        stage_panels(sch, C, "A", i_0, 0, 6) of a matrix A[m, k]:
          for m_0: for k: unrolled m_1 in 0..6: A_global[...] = A[...]
          # element (m, k) lies at [m // 6][k][m % 6]

    The panels are rounded up with zeros and made inside `loop`: pack, compute_at, and the copy's
    loops in the order in which the elements lie, a tile unrolled. `rank` is needed for a buffer
    that is neither a tensor nor a parameter of the function. Gives the packing block.
    """
    _check("stage_panels", sch, consumer=consumer, loop=loop)
    name = buffer if isinstance(buffer, str) else buffer.name
    if rank is None:
        shapes = {p.name: p.shape for p in sch.original.params}
        if not isinstance(buffer, str):
            rank = len(buffer.shape)
        elif name in shapes:
            rank = len(shapes[name])
        else:
            raise _fail(
                "schedule.stage_panels.dimension",
                f"'{name}' is no parameter of the function; give the tensor, or its rank=",
            )
    if not 0 <= dimension < rank:
        raise _fail(
            "schedule.stage_panels.dimension",
            f"block '{sch.block_name(consumer)}' reads no buffer '{name}' with a dimension "
            f"{dimension}",
        )
    number = _number_in_map(tile)
    names = [f"d{d}" for d in range(rank)]
    outer = [f"{d} // {number}" if i == dimension else d for i, d in enumerate(names)]
    layout = f"({', '.join(names)}) -> ({', '.join(outer)}, d{dimension} % {number})"
    panel = sch.pack(consumer, buffer, layout, pad={dimension: tile})
    sch.compute_at(panel, loop)
    order = list(sch.get_loops(panel)[-rank:])
    order[dimension], inner = sch.split(order[dimension], tile)
    sch.reorder(*order, inner)
    sch.unroll(inner)
    return panel
