"""Draws the summary of the demo as an SVG: what came out each fifth of a second, the mode under it, and the switches."""
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, PLOT = 960, 70, 24, 84, 250
COLOURS = {"AF_PACKET": "#e8eef7", "AF_XDP": "#e9f5ea"}
UPLINK, DOWNLINK, TEXT, FAINT = "#1f5fa8", "#c2571a", "#222222", "#777777"


def draw(path, ticks, spans, marks, table):
    """ticks: (seconds, uplink pps, downlink pps); spans: (mode, from, to); marks: (seconds, text, bad);
    table: rows of text, the first of them the headings."""
    end = max(t for t, _, _ in ticks)
    height = TOP + PLOT + 56 + 20 * len(table)
    usual = sorted(max(up, down) for _, up, down in ticks)
    step = nice_step(usual[int(len(usual) * 0.95)] / 4)    # a burst after a pause may leave the picture
    top = step * 6          # room for the labels above the lines

    def x(seconds):
        return LEFT + seconds / end * (WIDTH - LEFT - RIGHT)

    def y(pps):
        return TOP + PLOT - min(pps, top) / top * PLOT

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<text x="{LEFT}" y="28" font-size="18" fill="{TEXT}">GTP-U through one UPF while its mode is edited</text>',
           f'<text x="{LEFT}" y="50" fill="{FAINT}">packets a second that came out, counted at an outside sink</text>']
    for mode, start, finish in spans:
        out.append(f'<rect x="{x(start):.1f}" y="{TOP}" width="{x(finish) - x(start):.1f}" height="{PLOT}" fill="{COLOURS[mode]}"/>')
        out.append(text(x((start + finish) / 2), TOP + PLOT - 10, mode, "middle", FAINT))
    for pps in range(0, step * 5, step):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(pps):.1f}" y2="{y(pps):.1f}" stroke="#dddddd"/>')
        out.append(text(LEFT - 8, y(pps) + 4, f"{pps:,.0f}", "end", FAINT))
    for seconds in range(0, int(end) + 1, max(1, int(end / 10))):
        out.append(text(x(seconds), TOP + PLOT + 18, f"{seconds} s", "middle", FAINT))
    for column, colour in ((1, UPLINK), (2, DOWNLINK)):
        points = " ".join(f"{x(tick[0]):.1f},{y(tick[column]):.1f}" for tick in ticks)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    for i, (seconds, label, refused) in enumerate(marks):
        colour = "#a01010" if refused else TEXT
        out.append(f'<line x1="{x(seconds):.1f}" x2="{x(seconds):.1f}" y1="{TOP}" y2="{TOP + PLOT}" stroke="{colour}" stroke-dasharray="4 3"/>')
        anchor = "end" if x(seconds) > WIDTH * 0.85 else "start"
        out.append(text(x(seconds) + (-5 if anchor == "end" else 5), TOP + 16 + 16 * (i % 4), label, anchor, colour))
    out.append(f'<rect x="{WIDTH - 190}" y="18" width="12" height="12" fill="{UPLINK}"/>' + text(WIDTH - 172, 29, "uplink", "start", TEXT))
    out.append(f'<rect x="{WIDTH - 110}" y="18" width="12" height="12" fill="{DOWNLINK}"/>' + text(WIDTH - 92, 29, "downlink", "start", TEXT))
    for r, row in enumerate(table):
        for c, cell in enumerate(row):
            weight = ' font-weight="bold"' if r == 0 or c == 0 else ""
            at = LEFT + (0 if c == 0 else 330 + (c - 1) * 260)
            out.append(f'<text x="{at}" y="{TOP + PLOT + 56 + 20 * r}" fill="{TEXT}"{weight}>{escape(cell)}</text>')
    path.write_text("\n".join(out) + "\n</svg>\n")


def nice_step(least):
    """The smallest of 1, 2, 5 times a power of ten that is not below."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= least:
                return digit * power
        power *= 10


def text(x, y, words, anchor, colour):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'
