/**
 * Renders a chart of values over time as SVG, with lines or bars. Labels are HTML outside of the SVG, because text inside would
 * shrink with the chart on narrow screens.
 */
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";

export interface ChartLine {
  readonly name: string;
  /** The values, one for each time. Null leaves a gap. */
  readonly values: readonly (number | null)[];
}

interface Chart {
  readonly title: string;
  readonly times: readonly string[];
  /** At most two lines. The second one is dashed, so that the lines differ without colours. */
  readonly lines: readonly ChartLine[];
  readonly scale?: ChartScale;
  /** Renders the first and the last time below the chart. */
  readonly formatTime?: (time: string) => Markup | string;
  /** If true, the values of the only line are bars. */
  readonly hasBars?: boolean;
}

export interface ChartScale {
  /** The value at the top of the chart. */
  readonly maximum: number;
  readonly format: (value: number) => string;
}

const PERCENT: ChartScale = { maximum: 100, format: (value) => `${round(value)}%` };

export function timeChart(
  { title, times, lines, scale = PERCENT, formatTime = ui.renderTime, hasBars = false }: Chart,
): Markup {
  const { maximum, format } = scale, labels = [maximum, maximum / 2, 0].map(format);
  const first = Date.parse(times[0]!), span = Math.max(1, Date.parse(times.at(-1)!) - first);
  const positions = times.map((time) => round(100 * (Date.parse(time) - first) / span));
  return markup`<figure class="usage-chart"><div class="plot" aria-hidden="true">${
    labels.map((label) => markup`<span>${label}</span>`)
  }</div>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${title}. ${
    lines.map((line) => describeLine(line, format)).join(". ")
  }">
<path class="grid" d="M0 0H100M0 50H100M0 100H100"/>${
    lines.map(({ values }, i) =>
      hasBars
        ? markup`<path class="bars" d="${drawBars(values, maximum)}"/>`
        : markup`<path class="line ${i === 0 ? "" : "second"}" d="${drawLine(positions, values, maximum)}"/>`
    )
  }</svg>
<figcaption class="tiny"><span>${formatTime(times[0]!)}</span><span>${formatTime(times.at(-1)!)}</span></figcaption>${
    lines.length > 1 ? legend(lines) : ""
  }</figure>`;
}

function legend(lines: readonly ChartLine[]): Markup {
  return markup`<ul class="legend small">${
    lines.map(({ name }, i) =>
      markup`<li><svg viewBox="0 0 24 8" aria-hidden="true"><path class="line ${
        i === 0 ? "" : "second"
      }" d="M0 4H24"/></svg>${name}</li>`
    )
  }</ul>`;
}

/** Returns the path of a line. A gap starts a new part. A part with one value becomes a short stroke. */
function drawLine(positions: readonly number[], values: ChartLine["values"], maximum: number): string {
  let isOpen = false;
  return values.map((value, i) => {
    if (value === null) {
      isOpen = false;
      return "";
    }
    const point = `${positions[i]} ${heightOf(value, maximum)}`,
      isAlone = !isOpen && (values[i + 1] ?? null) === null;
    const part = `${isOpen ? "L" : "M"}${point}${isAlone ? "h1" : ""}`;
    isOpen = true;
    return part;
  }).join("");
}

/** Returns the path of the bars. Each bar is a little narrower than its share of the width. */
function drawBars(values: ChartLine["values"], maximum: number): string {
  const width = 100 / values.length, gap = width / 8;
  return values.map((value, i) =>
    value === null || value === 0
      ? ""
      : `M${round(i * width + gap)} 100V${heightOf(value, maximum)}H${round((i + 1) * width - gap)}V100Z`
  ).join("");
}

/** Returns the distance from the top of the chart. */
function heightOf(value: number, maximum: number): number {
  return round(100 - Math.min(100, 100 * value / maximum));
}

function describeLine({ name, values }: ChartLine, format: ChartScale["format"]): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? `${name}: unknown` : `${name}: from ${format(known[0]!)} to ${format(known.at(-1)!)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
