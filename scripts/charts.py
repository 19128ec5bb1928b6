"""Cactus plots as SVG: how many tasks are decided within a time for each of them.

The time axis is logarithmic. A picture paints its own background, light or dark as the reader prefers, so that it can
stand on any page. Lines differ in colour and in dashes.
"""
from html import escape
from math import ceil, log10

WIDTH, HEIGHT = 900, 460
LEFT, TOP, RIGHT, BOTTOM = 64, 44, 300, 52
# Colours that can be told apart by everybody (after Okabe and Ito), each readable on white and on near black.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56a0d9", "#8a63d2", "#7f7f7f")
DASHES = ("", "7 3", "2 3", "10 3 2 3")
STYLE = """
  .paper { fill: #ffffff } .word { fill: #24292f; font: 12px sans-serif } .title { font-size: 15px; font-weight: bold }
  .grid { stroke: #d0d7de; stroke-width: 1 } .minor { stroke-opacity: 0.45 } .axis { stroke: #57606a; stroke-width: 1.2 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #15191f } .word { fill: #d7dde4 } .grid { stroke: #3a424c } .axis { stroke: #9aa4af }
  }
"""


def cactus(title, series, longest, share=False):
    """A picture. `series` maps names to (seconds of each decided task, number of tasks); with `share`, the vertical axis
    is the share of the tasks that are decided, otherwise their number."""
    shown = {name: (sorted(seconds), whole) for name, (seconds, whole) in series.items() if seconds}
    height = lambda count, whole: 100 * count / whole if share else count
    order = sorted(shown, key=lambda name: (-height(len(shown[name][0]), shown[name][1]), name))
    top = 100 if share else nice(max((len(seconds) for seconds, _ in shown.values()), default=1))
    fastest = min((seconds[0] for seconds, _ in shown.values()), default=0.1)
    low = max(-3, min(-1, int(log10(max(fastest, 1e-3)) // 1)))
    high = log10(max(longest, 1))
    across = lambda seconds: LEFT + (WIDTH - LEFT - RIGHT) * (log10(max(seconds, 10**low)) - low) / (high - low)
    up = lambda value: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top
    parts = [*frame(title, low, high, top, across, up, share)]
    for place, name in enumerate(order):
        seconds, whole = shown[name]
        look = (f'stroke="{COLOURS[place % len(COLOURS)]}" '
                f'stroke-dasharray="{DASHES[place // len(COLOURS) % len(DASHES)]}"')
        path = f"M{across(seconds[0]):.1f} {up(0):.1f}"
        for count, one in enumerate(seconds, 1):
            path += f"H{min(across(one), WIDTH - RIGHT):.1f}V{up(height(count, whole)):.1f}"
        parts.append(f'<path class="line" {look} d="{path}H{WIDTH - RIGHT}"/>')
        beside = TOP + 8 + place * min(18, (HEIGHT - TOP - 10) / max(1, len(order)))
        of = f" of {whole}" if share else ""
        parts.append(f'<path class="line" {look} d="M{WIDTH - RIGHT + 16} {beside:.1f}h26"/>')
        parts.append(word(WIDTH - RIGHT + 50, beside + 4, f"{name}: {len(seconds)}{of}"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
    return "\n".join([head, f"<title>{escape(title)}</title><style>{STYLE}</style>", paper, *parts, "</svg>", ""])


def frame(title, low, high, top, across, up, share):
    """The grid, the axes and what is written at them."""
    yield word(LEFT, 24, title, "title")
    for decade in range(low, int(high) + 1):
        for digit in range(1, 10):
            seconds = digit * 10.0**decade
            if log10(seconds) > high + 1e-9:
                break
            minor = "" if digit == 1 else " minor"
            yield f'<path class="grid{minor}" d="M{across(seconds):.1f} {TOP}V{up(0):.1f}"/>'
            if digit in (1, 2, 5) and (digit == 1 or high - low < 3.5):
                yield word(across(seconds), HEIGHT - BOTTOM + 17, f"{seconds:g}", anchor="middle")
    for step in range(6):
        value = top * step / 5
        yield f'<path class="grid" d="M{LEFT} {up(value):.1f}H{WIDTH - RIGHT}"/>'
        yield word(LEFT - 8, up(value) + 4, f"{value:g}{' %' if share else ''}", anchor="end")
    yield f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{up(0):.1f}H{WIDTH - RIGHT}"/>'
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    yield word(middle, HEIGHT - 12, "seconds for a task, at most (logarithmic)", anchor="middle")
    text = "share of the tasks decided" if share else "tasks decided"
    centre = TOP + (HEIGHT - TOP - BOTTOM) / 2
    yield f'<g transform="rotate(-90 14 {centre})">{word(14, centre, text, anchor="middle")}</g>'


def word(x, y, text, kind="", anchor="start"):
    """A piece of text."""
    return f'<text class="word {kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def nice(count):
    """The next number from there that five steps divide well."""
    step = ceil(count / 5)
    unit = 10 ** (len(str(step)) - 1)
    return 5 * step if unit == 1 else 5 * ceil(2 * step / unit) * unit // 2
