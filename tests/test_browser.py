"""The browser that the board's tests drive."""

from __future__ import annotations

import pytest


@pytest.mark.browser
def test_a_page_runs_its_script(page) -> None:
    page.set_content(
        "<p id=it>before</p><script>document.getElementById('it').textContent = 'after'</script>"
    )
    assert page.text_content("#it") == "after"
