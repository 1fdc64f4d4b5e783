"""Draws a chart of a few curves and points as SVG: for light and dark pages, with a title and a description for screen readers. Standard library only."""
from math import log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 14, 34, 44
LINE = 17
# Okabe and Ito's colours, told apart by people who cannot tell red from green; each curve has its own dashes as well.
LIGHT = ("#0072b2", "#b34a00", "#00785a", "#8a4a73", "#8a6d00", "#555555", "#111111")
DARK = ("#6cc0f5", "#f0a060", "#4fd0a5", "#e3a3cb", "#e6d24a", "#a9a9a9", "#f2f2f2")
DASHES = ("none", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 3")
# Colours that every chart declares; those of more curves follow where there are more.
COLOURS = 4


def style(series: int) -> str:
    """The style sheet of a chart of so many curves."""
    count = max(series, COLOURS)
    return "\n".join([
        "  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #333; } .heading { font-weight: 600; fill: #111; }",
        "  .page { fill: #fff; } .grid { stroke: #e2e2e2; } .axis { stroke: #888; } .curve { fill: none; stroke-width: 2; } .point { stroke: #fff; }",
        "  " + " ".join(f".s{at} {{ stroke: {colour}; stroke-dasharray: {dash}; }} .p{at} {{ fill: {colour}; }}" for at, (colour, dash) in enumerate(zip(LIGHT[:count], DASHES))),
        "  @media (prefers-color-scheme: dark) {",
        "    text { fill: #ccc; } .heading { fill: #eee; } .page { fill: #16181c; } .grid { stroke: #30343b; } .axis { stroke: #777; } .point { stroke: #16181c; }",
        "    " + " ".join(f".s{at} {{ stroke: {colour}; }} .p{at} {{ fill: {colour}; }}" for at, colour in enumerate(DARK[:count])),
        "  }",
    ])


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def tick(value: float, logarithmic: bool) -> str:
    if logarithmic:
        return f"10{''.join('⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.index(one)] for one in str(round(log10(value))))}"
    return f"{value:g}"


def chart(heading: str, description: str, across: tuple, up: tuple, series: list, legend: str = "left") -> str:
    """The SVG; the legend is at the upper left, upper right, (`low`) lower right or in two columns `below` the chart. `across` and `up` are (name, ticks); `up` from 0, or logarithmic where its ticks are powers of ten from above 0. A series is
    (name, curve, points): lists of (x, y); the points are measured, each (x, y, title)."""
    logarithmic = up[1][0] > 0
    x_low, x_high = across[1][0], across[1][-1]
    scale = log10 if logarithmic else float
    y_low, y_high = scale(up[1][0]), scale(up[1][-1])

    def place(x: float, y: float) -> tuple:
        right = LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        height = min(max((scale(y) - y_low) / (y_high - y_low), 0), 1)
        return right, HEIGHT - BOTTOM - height * (HEIGHT - TOP - BOTTOM)

    whole = HEIGHT + (LINE * ((len(series) + 1) // 2) + 6 if legend == "below" else 0)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * 4 // 3}" height="{whole * 4 // 3}" viewBox="0 0 {WIDTH} {whole}" '
        'role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(heading)}</title>',
        f'<desc id="description">{escape(description)}</desc>',
        f"<style>\n{style(len(series))}\n</style>",
        f'<rect class="page" width="{WIDTH}" height="{whole}"/>',
        f'<text class="heading" x="{LEFT}" y="20">{escape(heading)}</text>',
    ]
    for y in up[1]:
        at = number(place(x_low, y)[1])
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        out.append(f'<text x="{LEFT - 6}" y="{at}" dy="0.35em" text-anchor="end">{tick(y, logarithmic)}</text>')
    floor = HEIGHT - BOTTOM
    for x in across[1]:
        at = number(place(x, up[1][0])[0])
        out.append(f'<line class="axis" x1="{at}" x2="{at}" y1="{floor}" y2="{floor + 4}"/>')
        out.append(f'<text x="{at}" y="{floor + 17}" text-anchor="middle">{tick(x, False)}</text>')
    out.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{floor}" y2="{floor}"/>')
    out.append(f'<text x="{number((LEFT + WIDTH - RIGHT) / 2)}" y="{HEIGHT - 9}" text-anchor="middle">{escape(across[0])}</text>')
    middle = number((TOP + floor) / 2)
    out.append(f'<text x="18" y="{middle}" text-anchor="middle" transform="rotate(-90 18 {middle})">{escape(up[0])}</text>')
    for at, (_, curve, _) in enumerate(series):
        # What is below a logarithmic axis is not drawn.
        drawn = [place(x, y) for x, y in curve if not logarithmic or y >= up[1][0]]
        out.append(f'<polyline class="curve s{at}" points="{" ".join(f"{number(x)},{number(y)}" for x, y in drawn)}"/>')
    for at, (_, _, points) in enumerate(series):
        for x, y, title in points:
            right, height = place(x, y)
            out.append(f'<circle class="point p{at}" cx="{number(right)}" cy="{number(height)}" r="3.5"><title>{escape(title)}</title></circle>')
    longest = max(len(name) for name, _, _ in series)
    left = LEFT + 12 if legend == "left" else WIDTH - RIGHT - 40 - 6.8 * longest
    top = floor - LINE * len(series) + 2 if legend == "low" else TOP + 12
    for at, (name, _, _) in enumerate(series):
        height = top + LINE * at
        if legend == "below":
            left, height = LEFT + (WIDTH - LEFT - RIGHT) / 2 * (at % 2), HEIGHT + 6 + LINE * (at // 2)
        out.append(f'<line class="curve s{at}" x1="{number(left)}" x2="{number(left + 26)}" y1="{height}" y2="{height}"/>')
        out.append(f'<text x="{number(left + 33)}" y="{height}" dy="0.35em">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
