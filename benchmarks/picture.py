"""The rows as a picture: bars of ours / peer on a logarithmic scale, each with its goal, as SVG text."""

import math
from xml.sax.saxutils import escape

LEFT, WIDTH, HEIGHT, TOP = 380, 560, 17, 44
MET, MISSED, GOAL, INK, GRID = "#2a7f62", "#c1443c", "#222222", "#333333", "#dddddd"


def bars(rows):
    """(label, ratio, goal) of each goal of the rows of `report.as_json`."""
    for row in rows:
        for peer, goal in row["goals"].items():
            label = row["work"] if peer == "jax" else f"{row['work']} ({peer})"
            yield label, goal["ratio"], goal["goal"]


def decades(values):
    """The powers of ten around positive numbers: (lowest exponent, highest), 1 always between."""
    logs = [math.log10(v) for v in values]
    return min(-1, math.floor(min(logs, default=0))), max(1, math.ceil(max(logs, default=0)))


def picture(data):
    """The SVG text for what `report.as_json` gives. Left of 1: we are faster, or need less."""
    rows = list(bars(data["rows"]))
    low, high = decades([max(v, 1e-6) for _, ratio, goal in rows for v in (ratio, goal)])

    def x(value):
        return LEFT + WIDTH * (math.log10(max(value, 10.0 ** low)) - low) / (high - low)

    bottom = TOP + HEIGHT * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" height="{bottom + 50}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>',
             words(10, 18, "time or memory: ours / peer (shorter is better; the black mark is the goal)", INK, weight="bold")]
    for exponent in range(low, high + 1):
        at = x(10.0 ** exponent)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP - 6}" x2="{at:.1f}" y2="{bottom}" stroke="{INK if exponent == 0 else GRID}"/>')
        parts.append(words(at, TOP - 10, f"{10.0 ** exponent:g}", INK, anchor="middle"))
    for number, (label, ratio, goal) in enumerate(rows):
        parts += bar(TOP + HEIGHT * number, label, ratio, goal, x)
    machine = data["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    parts.append(words(10, bottom + 20, f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, {machine['date'][:10]}", INK))
    parts.append(words(10, bottom + 36, versions, INK))
    return "\n".join([*parts, "</svg>\n"])


def bar(y, label, ratio, goal, x):
    """The parts of one row."""
    end = x(ratio)
    return [words(LEFT - 8, y + 12, label, INK, anchor="end"),
            f'<rect x="{LEFT}" y="{y + 3}" width="{end - LEFT:.1f}" height="{HEIGHT - 6}" fill="{MET if ratio <= goal else MISSED}"/>',
            f'<line x1="{x(goal):.1f}" y1="{y + 1}" x2="{x(goal):.1f}" y2="{y + HEIGHT - 1}" stroke="{GOAL}" stroke-width="2.5"/>',
            words(max(end, x(goal)) + 5, y + 12, f"{ratio:.2g}", INK)]


def words(x, y, text, colour, anchor="start", weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'
