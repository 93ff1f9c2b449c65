/** The table of metrics in docs/metrics.md, as they are declared. */
import { type Metric, METRICS } from "#lib/metrics/names.ts";

/** The text with the table between its marks. */
export function withMetrics(text: string): string {
  const head = ["metric", "type", "labels", "what it is"];
  const rows = (METRICS as readonly Metric[]).map(({ name, type, labels = [], help, fleet }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", "),
    help + (fleet ? " (one replica)" : ""),
  ]);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  const marked = /(?<=<!-- metrics -->\n).*(?=<!-- end of metrics -->)/s;
  if (!marked.test(text)) throw new Error("docs/metrics.md has lost the marks of the metrics");
  return text.replace(marked, () => `\n${lines.join("")}\n`);
}
