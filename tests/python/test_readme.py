"""The Python example of README.md runs."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_readme_example(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    assert "for" in capsys.readouterr().out
