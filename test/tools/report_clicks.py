#!/usr/bin/env python3
"""Clicks through a report in a browser, and checks every answer of the page.

usage: report_clicks.py PAGE

The page has rows of a benchmark, a search and kernel IR.
"""

import sys

from webdriver import Browser

KEYS = {"right": "\ue014", "down": "\ue015", "enter": "\ue007", "escape": "\ue00c"}


def expect(condition, what):
    if not condition:
        sys.exit(f"expected {what}")


def check_start(browser):
    browser.wait("return document.documentElement.dataset.ready")
    took = browser.run("return performance.now()")
    expect(browser.run("return performance.getEntriesByType('resource').length") == 0, "no request to a network")
    names = browser.run("return [...document.querySelectorAll('header nav a')].map(each => each.textContent)")
    expect(names == ["Summary", "Shapes", "Work", "Roofline", "Search", "Tables", "Two runs", "Method"], f"8 sections, but got {names}")
    expect("geometric mean" in browser.text("#lede"), "a summary")
    print(f"ready, {took:.0f} ms at most")


def check_no_markup(browser):
    """Texts of the files are texts of the page."""
    expect(browser.run("return window.hacked") is None, "no script of a file")
    expect(browser.run("return document.querySelectorAll('img, iframe, b b').length") == 0, "no markup of a file")
    expect("</script>" in browser.text("h1"), "the title as it was given")
    browser.run("chooseProblem(D.keys.problem.findIndex((p, key) => D.keys.trials[key].some(t => D.policies[D.trials.policy[t]].includes('<'))))")
    browser.wait("return !$('trial').hidden")
    browser.run("const key = currentKey(); showTrial(key, D.keys.trials[key].find(t => D.policies[D.trials.policy[t]].includes('<')))")
    browser.wait("return $('trial').textContent.includes('</script><img')")
    print("hostile texts are texts")


def check_heat(browser):
    browser.click("#maps td[aria-label]")
    browser.wait("return !$('cell').hidden")
    expect("schedule" in browser.text("#cell") and "tile" in browser.text("#cell"), "a cell's schedule")
    below = "document.querySelectorAll('#maps tr')].flatMap(row => [...row.cells]).find(cell => cell.ariaLabel && cell.parentNode.nextSibling?.cells[cell.cellIndex].ariaLabel)"
    browser.run(f"const cell = [...{below}; cell.id = 'start'; cell.focus()")
    before = browser.run("return document.activeElement.ariaLabel")
    browser.write("#start", KEYS["down"])
    after = browser.run("return document.activeElement.ariaLabel")
    expect(after and after != before, "another cell after an arrow key")
    print("cells open")


def check_search(browser):
    browser.run("chooseProblem(-1); $('search').scrollIntoView()")
    dots = browser.run("return search.spec.dots.length")
    expect(dots > 10, f"a dot for each candidate, but got {dots}")
    place = browser.run("return search.center(3)")
    browser.point(place["x"], place["y"])
    browser.wait("return !$('tip').hidden && $('tip').textContent.includes('tile')")
    browser.point(place["x"], place["y"], press=True)
    browser.wait("return !$('trial').hidden && $('problem').value")
    browser.click("#next")
    browser.run("$('search-plot').querySelector('canvas').focus()")
    browser.write("#search-plot canvas", KEYS["right"] + KEYS["right"])
    expect(not browser.run("return $('tip').hidden"), "a schedule after an arrow key")
    browser.write("#search-plot canvas", KEYS["enter"])
    browser.wait("return $('trial').textContent.includes('trial ')")
    print("dots have their schedules")


def check_kernel(browser):
    browser.run("chooseProblem(D.keys.chosen.findIndex((trial, key) => trial >= 0 && kernelTexts[key]))")
    browser.wait("return document.querySelector('#trial .ir')")
    browser.click("#trial .ir")
    browser.wait("return $('kernel').open && $('kernel-text').textContent.includes('gpu.module')")
    browser.write("#kernel-close", KEYS["enter"])
    browser.wait("return !$('kernel').open")
    browser.run("const key = currentKey(); showTrial(key, D.keys.trials[key].find(trial => trial !== D.keys.chosen[key]))")
    browser.wait("return $('trial').textContent.includes('hone db kernel')")
    print("kernel IR opens")


def check_tables(browser):
    numbers = "return [...document.querySelectorAll('#table tbody tr')].map(row => +row.cells[0].textContent)"
    browser.wait("return document.querySelector('#table tbody tr')")
    browser.click("#table th button")
    falling = browser.run(numbers)
    browser.click("#table th button")
    rising = browser.run(numbers)
    expect(falling == sorted(falling, reverse=True) and rising == sorted(rising), "rows in the order of a column")
    limit = rising[len(rising) // 2]
    browser.write("#table input", f"m>{limit}")
    kept = browser.run(numbers)
    expect(kept and min(kept) > limit and " of " in browser.text("#table .count"), "rows that the filter admits")
    browser.run("[...document.querySelectorAll('#tabs button')].find(each => each.textContent === 'Comparisons').click()")
    browser.wait("return document.querySelector('#table th').nextSibling && $('table').textContent.includes('cublaslt')")
    print("tables sort and filter")


def check_runs(browser):
    expect("geometric mean" in browser.text("#runs-note"), "two runs to be compared")
    browser.run("const box = document.querySelectorAll('#runs select')[1]; box.value = '0'; box.onchange?.(); box.dispatchEvent(new Event('change'))")
    expect("geometric mean 1.000" in browser.text("#runs-note"), "a run that equals itself")
    print("runs are compared")


def check_looks(browser):
    before = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    expect(browser.run("return getComputedStyle(document.body).backgroundColor") != before, "another background")
    browser.resize(390, 844)
    wide = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    expect(wide[0] <= wide[1], f"no more than the width of a phone, but got {wide[0]} of {wide[1]}")
    print("dark and light, laptop and phone")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    with Browser() as browser:
        browser.open(arguments[0])
        for check in (check_start, check_no_markup, check_heat, check_search, check_kernel, check_tables, check_runs, check_looks):
            check(browser)
        errors = browser.errors()
        expect(not errors, f"no error in the console, but got {errors}")


main(sys.argv[1:])
