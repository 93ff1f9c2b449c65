/** Implements `wheelwright overview`, which shows the number of spokes per hub and state, and the job queue. */
import type { Overview, OverviewHistory } from "#lib/client/client.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { print, printNote, showJson, showTable } from "./output.ts";
import { formatBytes } from "#lib/domains/usage/words.ts";
import { readHubSlugs } from "./find-spoke.ts";
import type { TableColumn } from "./table.ts";
import { formatCount } from "#lib/base/text.ts";
import { sanitizeLine } from "./text.ts";
import { formatClockDuration } from "./times.ts";

export const overviewCommand = defineCommand({
  words: ["[HUB]"],
  options: {
    days: { type: "string", value: "N", help: "show installs, failures, queue time and storage of the last N days" },
  },
  examples: ["overview", "overview north --json=spokes", "overview --days 30"],
  async run(cli, { words: [federationId], options: { days } }) {
    if (days !== undefined) return await showHistory(cli, federationId, days);
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
    const { outdated } = overview;
    if (outdated.spokes > 0) {
      const count = `${outdated.more ? "More than " : ""}${formatCount(outdated.spokes, "site")}`;
      printNote(cli, `On an older blueprint: ${count}. To update: wheelwright rollouts create reapply --outdated`);
    }
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

async function showHistory(cli: CliContext, federationId: string | undefined, days: string): Promise<void> {
  if (!/^\d{1,2}$/.test(days)) throw new UsageError("--days must be a whole number from 1 to 90");
  const history = await cli.api.getOverviewHistory({ federationId, days: Number(days) });
  if (cli.json) return showJson(cli, history);
  const clock = (seconds: number | null) => seconds === null ? null : formatClockDuration(seconds * 1000);
  showTable<OverviewHistory["samples"][number]>(cli, history.samples, [
    ["DAY", ({ day }) => day],
    ["INSTALLS", ({ installs }) => installs, "number"],
    ["MEDIAN", ({ installSeconds }) => clock(installSeconds)],
    ["FAILURES", ({ failures }) => failures, "number"],
    ["QUEUE TIME", ({ waitSeconds }) => clock(waitSeconds)],
    ["95TH PERCENTILE", ({ waitSeconds95 }) => clock(waitSeconds95)],
    ["FILES", ({ filesUsed }) => filesUsed === null ? null : formatBytes(filesUsed)],
    ["DATABASE", ({ databaseUsed }) => databaseUsed === null ? null : formatBytes(databaseUsed)],
    ["GROWTH", ({ growth }) => growth === null ? null : `${growth < 0 ? "-" : "+"}${formatBytes(Math.abs(growth))}`],
  ]);
  for (const { code, count } of history.causes) printNote(cli, `Failures with ${sanitizeLine(code)}: ${count}`);
}
