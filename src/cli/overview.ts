/** `wheelwright overview`: shows how many spokes of each hub are in which state, and the job queue. */
import type { Overview } from "#lib/client/client.ts";
import { type Noun, verb } from "./verb-declaration.ts";
import { print, remark, showJson, showTable } from "./output.ts";
import { hubSlugs } from "./find-spoke.ts";
import type { Column } from "./table.ts";
import { plain } from "./text.ts";
import { lasting } from "./times.ts";

export const overviewNoun: Noun = {
  name: "overview",
  summary: "Show how many spokes are in which state, hub by hub, and what waits",
  verbs: [verb({
    name: "",
    summary: "Show how many spokes are in which state, hub by hub, and what waits",
    words: ["[HUB]"],
    examples: ["overview", "overview north --json=spokes"],
    async run(cli, { words: [federationId] }) {
      const overview = await cli.api.getOverview({ federationId }), { hubs, spokes, queue, templates } = overview;
      if (cli.json) return showJson(cli, overview);
      if (cli.quiet) return print(hubs.map(({ federationId }) => `${plain(federationId)}\n`).join(""));
      const slugs = await hubSlugs(cli.api), all = { ...spokes, name: "all" };
      const rows = hubs.map((hub) => ({ ...hub, name: slugs.get(hub.federationId) ?? hub.federationId }));
      const columns: readonly Column<(typeof rows)[number] | typeof all>[] = [
        ["HUB", ({ name }) => name],
        ["SPOKES", ({ total }) => total, "number"],
        ["ACTIVE", ({ byState }) => byState.active, "number"],
        ["FAILED", ({ byState }) => byState.failed, "number"],
        ["UNWELL", ({ degraded }) => degraded, "number"],
        ["BUSY", busyIn, "number"],
        ["SUSPENDED", ({ byState }) => byState.suspended, "number"],
        ["UNPROVED", ({ unverified }) => unverified, "number"],
        ["OLDEST PROOF", ({ oldestVerifiedAt }) => oldestVerifiedAt, "time"],
      ];
      // Tables have no headings without a terminal, and the numbers are unclear without them.
      if (!cli.terminal.out) print(`${columns.map(([head]) => head).join("\t")}\n`);
      showTable(cli, hubs.length === 1 ? rows : [...rows, all], columns);
      const { running, queued, oldestWaitSeconds: seconds } = queue;
      const since = seconds === null ? "" : `, the first of them for ${lasting(seconds * 1000)}`;
      remark(cli, `${running} under way, ${queued} waiting${since}`);
      for (const { lmsVersion, cluster, error } of (templates ?? []).filter(({ state }) => state === "failed")) {
        remark(cli, `No template of ${plain(lmsVersion)} in ${plain(cluster)}: ${plain(error ?? "")}`);
      }
    },
  })],
};

function busyIn({ byState: { provisioning, suspending, resuming, updating, removing } }: Overview["spokes"]): number {
  return provisioning + suspending + resuming + updating + removing;
}
