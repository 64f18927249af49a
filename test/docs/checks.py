"""Checks of a page: a figure in a table or a sentence, and its value.

A check names a section, a table by its first header, a row by its first cells and a column, or the
text of a sentence with {} for its figures; and it has the values.
"""

from collections import namedtuple

RESULTS, README = "docs/Results.md", "README.md"

Check = namedtuple("Check", "page heading table row column values")  # a sentence has neither table nor column


def table(heading, name, rows, columns, page=RESULTS):
    """A check for each row, {name: data}, and column, {name: function of data}."""
    for row, some in rows.items():
        for column, function in columns.items():
            values = function(some)
            yield Check(page, heading, name, row, column, values if isinstance(values, tuple) else (values,))


def sentence(heading, text, *values, page=RESULTS):
    yield Check(page, heading, None, text, None, values)
