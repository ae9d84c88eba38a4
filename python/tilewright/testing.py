"""Checking compiled code against the interpreter."""

from _tilewright import assert_allclose, interpret

__all__ = ["assert_allclose", "interpret"]
