/** Generates the list of metrics in deploy/metrics.md from lib/metrics/definitions.ts. */
import { METRIC_DEFINITIONS, type MetricDefinition } from "#lib/metrics/definitions.ts";

/** Returns the text with the list of metrics inserted between the two marker comments. */
export function insertMetricList(text: string): string {
  const lines = (METRIC_DEFINITIONS as readonly MetricDefinition[]).map(
    ({ name, type, labels = [], help, fleetWide }) => {
      const series = labels.length > 0 ? `${name}{${labels.join(", ")}}` : name;
      return `- \`${series}\` ${type}${fleetWide ? " (one replica)" : ""}: ${help}\n`;
    },
  );
  const marked = /(?<=<!-- metrics -->\n).*(?=<!-- end of metrics -->)/s;
  if (!marked.test(text)) throw new Error("deploy/metrics.md lacks the comments that enclose the list of metrics");
  return text.replace(marked, () => `\n${lines.join("")}\n`);
}
