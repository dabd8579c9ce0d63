"""Takes the picture in the README: the top of the demo's report.

    python docs/screenshot.py                        run the demo first, into build/demo
    python docs/screenshot.py build/demo/report.html

Needs Chromium, and the DejaVu fonts for the same letters on every machine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "images" / "report.png"
WIDTH = 1100
LAST = "figure svg, svg"  # the first chart is the last thing to be seen
MARGIN = 6
LARGEST = 250_000


def main(arguments: list[str]) -> int:
    """Take the picture of a report, made now unless it is named."""
    report = Path(arguments[0]) if arguments else Path("build/demo/report.html")
    if not arguments:
        subprocess.run(
            [sys.executable, "-m", "ragstone", "demo", "--out", str(report.parent), "--quiet"], check=True
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(report.resolve().as_uri())
        box = page.locator(LAST).first.bounding_box()
        height = round(box["y"] + box["height"] + MARGIN)
        page.set_viewport_size({"width": WIDTH, "height": height})
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)
        browser.close()
    size = PICTURE.stat().st_size
    print(f"wrote {PICTURE}: {WIDTH} x {height}, {size:,} bytes")
    return 1 if size > LARGEST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
