/** Shows the preview of a change of a hub. */
import type { FederationPreview } from "#lib/client/client.ts";
import type { CliContext } from "./command.ts";
import { printNote, showJson, showList, showRecord } from "./output.ts";
import type { RecordLine } from "./table.ts";
import { formatCount } from "#lib/base/text.ts";

export function showHubPreview(cli: CliContext, preview: FederationPreview): void {
  if (cli.json) return showJson(cli, preview);
  const { changes, counts, usualSeconds, downtimes } = preview;
  const downtime = usualSeconds === null ? "for a time that is not known yet" : `for about ${usualSeconds} s each`;
  showRecord(cli, preview, () => [
    ...changes.map(({ field, from, to }): RecordLine => [field, `${from ?? "none"} → ${to}`]),
    ["move", formatCount(counts.moves, "spoke")],
    ["change in place", formatCount(counts.in_place, "spoke")],
    ["cannot change now", formatCount(counts.refused + counts.suspended, "spoke")],
    ["downtime", downtimes === 0 ? "none" : `${formatCount(downtimes, "spoke")}, ${downtime}`],
  ], "");
  showList(cli, preview.spokes, [
    ["SPOKE", (one) => one.slug],
    ["EFFECT", (one) => one.effect],
    ["REASON", (one) => one.reason],
  ], ({ spokeId }) => spokeId);
  for (const note of preview.notes) printNote(cli, note);
}
