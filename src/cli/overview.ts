/** Implements `wheelwright overview`, which shows the number of spokes per hub and state, and the job queue. */
import type { Overview } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { print, printNote, showJson, showTable } from "./output.ts";
import { readHubSlugs } from "./find-spoke.ts";
import type { TableColumn } from "./table.ts";
import { sanitizeLine } from "./text.ts";
import { formatClockDuration } from "./times.ts";

export const overviewCommand = defineCommand({
  words: ["[HUB]"],
  examples: ["overview", "overview north --json=spokes"],
  async run(cli, { words: [federationId] }) {
    const overview = await cli.api.getOverview({ federationId }), { hubs, spokes, queue, templates } = overview;
    if (cli.json) return showJson(cli, overview);
    if (cli.quiet) return print(hubs.map(({ federationId }) => `${sanitizeLine(federationId)}\n`).join(""));
    const slugs = await readHubSlugs(cli.api), all = { ...spokes, name: "all" };
    const rows = hubs.map((hub) => ({ ...hub, name: slugs.get(hub.federationId) ?? hub.federationId }));
    const columns: readonly TableColumn<(typeof rows)[number] | typeof all>[] = [
      ["HUB", ({ name }) => name],
      ["SPOKES", ({ total }) => total, "number"],
      ["ACTIVE", ({ byState }) => byState.active, "number"],
      ["FAILED", ({ byState }) => byState.failed, "number"],
      ["DEGRADED", ({ degraded }) => degraded, "number"],
      ["BUSY", countBusy, "number"],
      ["SUSPENDED", ({ byState }) => byState.suspended, "number"],
      ["UNVERIFIED", ({ unverified }) => unverified, "number"],
      ["OLDEST RESTORE TEST", ({ oldestVerifiedAt }) => oldestVerifiedAt, "time"],
    ];
    // Prints headings, because tables outside of a terminal have none, and numbers without headings would be unclear.
    if (!cli.terminal.out) print(`${columns.map(([head]) => head).join("\t")}\n`);
    showTable(cli, hubs.length === 1 ? rows : [...rows, all], columns);
    const { running, queued, oldestWaitSeconds: seconds } = queue;
    const since = seconds === null ? "" : `, the oldest waiting for ${formatClockDuration(seconds * 1000)}`;
    printNote(cli, `Operations: ${running} running, ${queued} queued${since}`);
    for (const { lmsVersion, cluster, error } of (templates ?? []).filter(({ state }) => state === "failed")) {
      const text = `The site template for Moodle ${lmsVersion} in cluster ${cluster} failed: ${error ?? ""}`;
      printNote(cli, sanitizeLine(text));
    }
  },
});

function countBusy(
  { byState: { provisioning, suspending, resuming, updating, removing } }: Overview["spokes"],
): number {
  return provisioning + suspending + resuming + updating + removing;
}
