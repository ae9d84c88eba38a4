"""The whole texts of errors that only Python raises: tests/golden/errors/<code>.txt, as for C++.

TW_UPDATE_GOLDEN=1 writes them; the pages of docs/errors/ are then written by the golden tests.
"""

import os
from pathlib import Path

import pytest
import tilewright as tw
from error_programs import PROGRAMS

TEXTS = Path(__file__).resolve().parents[1] / "golden" / "errors"


@pytest.mark.parametrize("code", PROGRAMS)
def test_text(code):
    with pytest.raises(tw.TilewrightError) as caught:
        PROGRAMS[code]()
    assert caught.value.code == code
    golden = TEXTS / f"{code}.txt"
    if os.environ.get("TW_UPDATE_GOLDEN"):
        golden.write_text(f"{caught.value}\n")
    assert golden.read_text() == f"{caught.value}\n"
