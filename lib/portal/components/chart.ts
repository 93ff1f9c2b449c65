/**
 * Renders a line chart of percentages over time as SVG. Labels are HTML outside of the SVG, because text inside would
 * shrink with the chart on narrow screens.
 */
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";

export interface ChartLine {
  readonly name: string;
  /** The values in percent, one for each time. Null leaves a gap. */
  readonly values: readonly (number | null)[];
}

interface LineChart {
  readonly title: string;
  readonly times: readonly string[];
  /** At most two lines. The second one is dashed, so that the lines differ without colours. */
  readonly lines: readonly ChartLine[];
}

export function lineChart({ title, times, lines }: LineChart): Markup {
  const first = Date.parse(times[0]!), span = Math.max(1, Date.parse(times.at(-1)!) - first);
  const positions = times.map((time) => round(100 * (Date.parse(time) - first) / span));
  return markup`<figure class="usage-chart"><div class="plot" aria-hidden="true"><span>100%</span><span>50%</span><span>0%</span></div>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${title}. ${
    lines.map(describeLine).join(". ")
  }">
<path class="grid" d="M0 0H100M0 50H100M0 100H100"/>${
    lines.map(({ values }, i) =>
      markup`<path class="line ${i === 0 ? "" : "second"}" d="${drawLine(positions, values)}"/>`
    )
  }</svg>
<figcaption class="tiny"><span>${ui.renderTime(times[0]!)}</span><span>${
    ui.renderTime(times.at(-1)!)
  }</span></figcaption>
<ul class="legend small">${
    lines.map(({ name }, i) =>
      markup`<li><svg viewBox="0 0 24 8" aria-hidden="true"><path class="line ${
        i === 0 ? "" : "second"
      }" d="M0 4H24"/></svg>${name}</li>`
    )
  }</ul></figure>`;
}

/** Returns the path of a line. A gap starts a new part. A part with one value becomes a short stroke. */
function drawLine(positions: readonly number[], values: readonly (number | null)[]): string {
  let isOpen = false;
  return values.map((value, i) => {
    if (value === null) {
      isOpen = false;
      return "";
    }
    const point = `${positions[i]} ${round(100 - Math.min(100, value))}`,
      isAlone = !isOpen && (values[i + 1] ?? null) === null;
    const part = `${isOpen ? "L" : "M"}${point}${isAlone ? "h1" : ""}`;
    isOpen = true;
    return part;
  }).join("");
}

function describeLine({ name, values }: ChartLine): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? `${name}: unknown` : `${name}: from ${round(known[0]!)}% to ${round(known.at(-1)!)}%`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
