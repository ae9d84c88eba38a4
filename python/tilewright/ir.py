"""Functions built statement by statement, and their text."""

from _tilewright import Buffer, IRBuilder, Param, PrimFunc
from _tilewright import parse as parse_func

__all__ = ["Buffer", "IRBuilder", "Param", "PrimFunc", "parse_func"]
