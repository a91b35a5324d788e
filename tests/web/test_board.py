"""The board as a person has it: a real browser at a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoat.plan.ids import NodeRef
from stoat.service import decisions, nodes, plans
from stoat.service.session import Session
from tests.web.conftest import serving
from tests.web.test_security import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

MANY = "\n".join(
    ["schema: 1", "plan: many", "title: Many", "nodes:"]
    + [f"  - {{id: n{i}, kind: person, depends_on: [{f'n{i - 30}' if i >= 30 else ''}]}}" for i in range(240)]
)


def test_a_change_shows_without_a_reload(page: Page, served: str, session: Session) -> None:
    opened(page, f"{served}/plans/parcels")
    page.evaluate("window.same = true")
    assert page.get_attribute("#node-zones", "data-class") == "you"
    decisions.approve(session, [NodeRef("parcels", "zones")])
    page.wait_for_selector("#node-zones[data-class=held]")
    assert "stoat approve parcels/zones" not in page.inner_text("#plan-needs")
    assert page.evaluate("window.same") is True


def test_a_node_of_another_plan_and_its_line_are_live_too(page: Page, served: str, session: Session) -> None:
    opened(page, f"{served}/plans/parcels")
    decisions.done(session, NodeRef("rates", "publish"))
    page.wait_for_selector("[id='node-rates/publish'][data-status=done]")
    page.wait_for_selector("path.met[data-from='rates/publish']", state="attached")


def test_a_new_node_appears_in_the_graph(page: Page, served: str, session: Session) -> None:
    opened(page, f"{served}/plans/parcels")
    nodes.link(session, NodeRef("parcels", "weights"), "zones")
    page.wait_for_selector("path[data-from=zones][data-to=weights]", state="attached")


def test_the_front_page_is_live(page: Page, served: str, session: Session) -> None:
    opened(page, served)
    plans.import_document(session, "schema: 1\nplan: third\ntitle: The third\nnodes: []\n")
    page.wait_for_selector("text=The third")


def test_a_node_page_is_live(page: Page, served: str, session: Session) -> None:
    opened(page, f"{served}/plans/parcels/nodes/zones")
    decisions.note(session, "parcels", "zones", "a word about zones")
    page.wait_for_selector("text=a word about zones")


def test_scroll_focus_and_folds_survive_a_change(page: Page, served: str, session: Session) -> None:
    plans.import_document(session, MANY)
    opened(page, f"{served}/plans/many")
    page.click("#needs-fold > summary")
    page.focus("#node-n125 h3 a")
    page.evaluate("document.getElementById('graph').scrollLeft = 700; scrollTo(0, 600)")
    place = "[document.getElementById('graph').scrollLeft, scrollY, document.activeElement.getAttribute('href')]"
    before = page.evaluate(place)
    decisions.done(session, NodeRef("many", "n0"))
    decisions.done(session, NodeRef("many", "n95"))
    page.wait_for_selector("#node-n95[data-status=done]")
    page.wait_for_selector("#node-n125[data-class=you]")
    assert page.evaluate(place) == before
    nodes.link(session, NodeRef("many", "n239"), "n0")
    page.wait_for_selector("path[data-to=n239]", state="attached")
    assert page.evaluate(place) == before
    assert page.get_attribute("#needs-fold", "open") is None


def test_the_page_connects_again_to_a_new_server_and_catches_up(page: Page, session: Session) -> None:
    with serving(session.directory) as address:
        opened(page, f"{address}/plans/parcels")
        port = int(address.rsplit(":", 1)[1])
    page.wait_for_selector("#live.away")
    decisions.approve(session, [NodeRef("parcels", "zones")])
    with serving(session.directory, port):
        page.wait_for_selector("#node-zones[data-class=held]")
        page.wait_for_selector("#live:not(.away)")
        page.goto("about:blank")


def test_without_a_script_it_is_a_plain_page(browser: Browser, served: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{served}/plans/parcels")
        page.wait_for_selector("path[data-from=zones][data-to=price]", state="attached")
        page.click("#node-price h3 a")
        page.wait_for_url("**/plans/parcels/nodes/price")
        assert page.is_hidden("#live")


def test_arrow_keys_walk_the_graph(page: Page, served: str) -> None:
    opened(page, f"{served}/plans/parcels")
    page.focus("#node-zones h3 a")
    walked = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        walked.append(page.evaluate("document.activeElement.closest('.card').dataset.node"))
    assert walked[:3] == ["price", "suite", "price"] and walked[3] in ("zones", "weights")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/nodes/*")


def test_everything_can_be_reached_with_the_tab_key(page: Page, served: str) -> None:
    opened(page, f"{served}/plans/parcels")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(document.activeElement.closest('.card') || {dataset: {}}).dataset.node"))
    assert {"zones", "weights", "price", "suite", "tell"} <= reached


@pytest.mark.parametrize("width", [320, 390, 1400])
def test_no_page_is_wider_than_its_window(page: Page, served: str, session: Session, width: int) -> None:
    plans.import_document(session, HOSTILE)
    page.set_viewport_size({"width": width, "height": 800})
    for path in ("/", "/plans/parcels", "/plans/hostile", "/plans/hostile/nodes/b", "/plans/none"):
        page.goto(served + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_cards_lie_in_columns_on_a_screen_and_below_each_other_on_a_phone(page: Page, served: str) -> None:
    opened(page, f"{served}/plans/parcels")
    zones, price = page.locator("#node-zones").bounding_box(), page.locator("#node-price").bounding_box()
    assert zones and price and zones["x"] + zones["width"] < price["x"]
    page.set_viewport_size({"width": 390, "height": 800})
    zones, price = page.locator("#node-zones").bounding_box(), page.locator("#node-price").bounding_box()
    assert zones and price and zones["x"] == price["x"] and zones["y"] + zones["height"] < price["y"]


def test_hostile_text_runs_nothing_and_breaks_no_policy(page: Page, served: str, session: Session) -> None:
    plans.import_document(session, HOSTILE)
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    for path in ("/", "/plans/hostile", "/plans/hostile/nodes/a", "/plans/hostile/nodes/b"):
        opened(page, served + path)
    decisions.note(session, "hostile", "b", "<img src=x onerror=alert(8)>")
    page.wait_for_selector("text=onerror=alert(8)")
    assert said == []


def test_both_colour_schemes_can_be_read(page: Page, served: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        opened(page, f"{served}/plans/parcels")
        poor = page.evaluate(CONTRAST)
        assert poor == [], scheme


def test_landmarks_names_and_headings_are_there_for_a_screen_reader(page: Page, served: str) -> None:
    opened(page, f"{served}/plans/parcels")
    assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
    assert page.get_by_role("heading", level=1).inner_text().startswith("Parcels learns")
    assert page.get_by_role("article", name="zones: open").count() == 1
    assert page.get_by_role("list", name="Column 1 of 4").count() == 1
    assert page.get_by_role("region", name="What needs you").count() == 1


def opened(page: Page, address: str) -> None:
    """Go there, and wait until the page hears of news."""
    page.goto(address)
    page.wait_for_selector("#live:not([hidden]):not(.away)")


CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((it) => it / 255)
    .map((it) => (it <= 0.03928 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4))
    .reduce((sum, it, index) => sum + it * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (it) => {
    for (; it; it = it.parentElement) {
      const colour = rgb(getComputedStyle(it).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const it of document.querySelectorAll("body *")) {
    const own = [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !it.checkVisibility() || it.closest("svg") || it.matches(".quiet, .skip")) continue;
    const [a, b] = [luminance(rgb(getComputedStyle(it).color)), luminance(ground(it))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(it.className + ": " + it.textContent.trim());
  }
  return poor;
}"""
