"""Two small figures as SVG files, without a plotting library: lines over time, and the links of a machine.

Arrays of Machine go into any other library as they are."""
import html
import math

from .errors import UsageError

COLOURS = ('#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000')
WIDTH, HEIGHT, MARGIN = 640, 360, 60
# Where a chip's neighbour by a link stands, and what lies between two arrows of one link.
STEPS = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
CELL, GAP = 48, 4


def _svg(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n' + '\n'.join(parts) +
            '\n</svg>\n')


def _write(file, text):
    with open(file, 'w', encoding='utf-8') as out:
        out.write(text)


def _text(x, y, text, anchor='middle', more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{html.escape(str(text))}</text>'


def lines(file, x, series, x_label='', y_label=''):
    """Draws series {name: values} over x, all of one length, and values that are not finite as gaps."""
    if not series or any(len(values) != len(x) for values in series.values()) or len(x) == 0:
        raise UsageError('lines need values, as many as there are places in x')
    finite = [float(v) for values in series.values() for v in values if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    first, last = float(min(x)), float(max(x))
    wide, tall = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN

    def place(at, value):
        return (MARGIN + wide * (at - first) / ((last - first) or 1), HEIGHT - MARGIN - tall * (value - low) / ((high - low) or 1))

    parts = [f'<rect x="{MARGIN}" y="{MARGIN}" width="{wide}" height="{tall}" fill="none" stroke="#888"/>',
             _text(WIDTH / 2, HEIGHT - 15, x_label), _text(15, HEIGHT / 2, y_label, more=f' transform="rotate(-90 15 {HEIGHT / 2})"')]
    for value, at in ((low, HEIGHT - MARGIN), (high, MARGIN + 10)):
        parts.append(_text(MARGIN - 5, at, f'{value:.4g}', 'end'))
    for value, at in ((first, MARGIN), (last, WIDTH - MARGIN)):
        parts.append(_text(at, HEIGHT - MARGIN + 16, f'{value:.4g}'))
    for number, (name, values) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        pieces, piece = [], []
        for at, value in zip(x, values):
            if math.isfinite(value):
                piece.append('{:.1f},{:.1f}'.format(*place(float(at), float(value))))
            elif piece:
                pieces.append(piece)
                piece = []
        for points in pieces + [piece]:
            parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(points)}"/>')
        parts.append(_text(WIDTH - MARGIN, MARGIN - 8 - 14 * number, name, 'end', f' fill="{colour}"'))
    _write(file, _svg(WIDTH, HEIGHT, parts))


def links(file, rows, values=None, title=''):
    """Draws the links of Machine.links() as arrows, the darker the larger their value (without values: packets)."""
    values = [float(value) for value in (rows['packets'] if values is None else values)]
    if len(values) != len(rows) or len(rows) == 0:
        raise UsageError('links need a value for each link, and a machine of more than one chip')
    most = max(max(values), 1e-300)
    height = int(rows['y'].max()) + 1
    width = int(rows['x'].max()) + 1

    def middle(x, y):
        return MARGIN + CELL * (x + 0.5), MARGIN + CELL * (height - y - 0.5)

    parts = [_text(MARGIN + CELL * width / 2, MARGIN / 2, title)]
    for row, value in zip(rows, values):
        x, y = middle(int(row['x']), int(row['y']))
        right, up = STEPS[int(row['link'])]
        length = math.hypot(right, up)
        side = GAP / length
        # An arrow from the chip half way to its neighbour, on its right-hand side: links round a torus end there, too.
        begin = (x + right * 10 / length + up * side, y - up * 10 / length + right * side)
        end = (x + right * CELL / 2 + up * side, y - up * CELL / 2 + right * side)
        dark = int(225 - 225 * value / most)
        parts.append(f'<line x1="{begin[0]:.1f}" y1="{begin[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke-width="4" '
                     f'stroke="rgb({dark},{dark},255)"><title>{row["x"]},{row["y"]} link {row["link"]}: {value:g}</title></line>')
    for x, y in sorted({(int(row['x']), int(row['y'])) for row in rows}):
        parts.append('<circle cx="{:.1f}" cy="{:.1f}" r="9" fill="#eee" stroke="#888"/>'.format(*middle(x, y)))
        parts.append(_text(middle(x, y)[0], middle(x, y)[1] + 3, f'{x},{y}', more=' font-size="8"'))
    _write(file, _svg(2 * MARGIN + CELL * width, 2 * MARGIN + CELL * height, parts))
