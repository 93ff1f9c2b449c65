/** Implements `wheelwright rollouts`, which runs an action on many spokes, in waves. */
import type { Rollout, RolloutDetail, RolloutPreview } from "#lib/client/client.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { type CliContext, defineCommand } from "./command.ts";
import { CommandError, EXIT } from "./exit-status.ts";
import { formatSpokeName, readHubSlugs } from "./find-spoke.ts";
import { printNote, showChange, showJson, showList, showRecord, showTable } from "./output.ts";
import { PAGE_OPTIONS, showPages } from "./pagination.ts";
import { buildRolloutBody, NEW_ROLLOUT_OPTIONS } from "./rollout-options.ts";
import type { RecordLine, TableColumn } from "./table.ts";
import { formatCount } from "#lib/base/text.ts";
import { formatClockDuration } from "./times.ts";

const ID = "rol_0123456789abcdefghjkmnpqrs", WATCH_INTERVAL = 2 * SECOND;

export const rolloutsCommands = [
  defineCommand({
    name: "create",
    summary: "Upgrade, resize, reapply or restart many spokes, wave by wave",
    words: ["ACTION"],
    options: NEW_ROLLOUT_OPTIONS,
    more: "ACTION is upgrade, resize, reapply or restart. Select the spokes, or use --all.",
    examples: [
      "rollouts create upgrade --to 5.2.2 --hub north --dry-run",
      "rollouts create upgrade --to 5.2.2 --all --window 'sat,sun 22:00-05:00 Europe/Berlin'",
      "rollouts create restart --spoke north/ash --spoke north/birch --canary 1 --watch 5m",
    ],
    async run(cli, { words: [action], options }) {
      const rollout = await buildRolloutBody(cli.api, action, options);
      if (options["dry-run"]) {
        return await showPreview(cli, await cli.api.createRollout({ dryRun: true }, rollout) as RolloutPreview);
      }
      const created = await cli.api.createRollout({}, rollout) as RolloutDetail;
      const spokes = formatCount(created.spokes.length - created.counts.skipped, "spoke");
      showChange(cli, created, `Rollout ${created.id} changes ${spokes} in ${formatCount(created.waves, "wave")}`);
      printNote(cli, `To watch it, run: wheelwright rollouts watch ${created.id}`);
    },
  }),
  defineCommand({
    name: "list",
    summary: "List rollouts, newest first",
    options: {
      state: { type: "string", value: "running|paused|completed|aborted", help: "only rollouts in this state" },
      ...PAGE_OPTIONS,
    },
    examples: ["rollouts list --state running"],
    run: (cli, { options }) =>
      showPages(cli, options, (limit) => cli.api.listRollouts({ state: options.state, limit }), [
        ["ID", (one) => one.id, "id"],
        ["STATE", (one) => one.state, "state"],
        ["ACTION", formatAction],
        ["WAVE", formatWave],
        ["DONE", (one) => `${one.counts.succeeded} of ${sumCounts(one)}`],
        ["FAILED", (one) => String(one.counts.failed)],
        ["CREATED", (one) => one.createdAt, "time"],
        ["REQUESTED BY", (one) => one.requestedBy.email],
        ["NOW", (one) => one.reason ?? one.note],
      ]),
  }),
  defineCommand({
    name: "show",
    summary: "Show a rollout and the state of each spoke",
    words: ["ROLLOUT"],
    examples: [`rollouts show ${ID}`],
    run: async (cli, { words: [rolloutId] }) => await showDetail(cli, await cli.api.getRollout({ rolloutId })),
  }),
  defineCommand({
    name: "watch",
    summary: "Show a rollout's progress until it is paused, completed or aborted",
    words: ["ROLLOUT"],
    examples: [`rollouts watch ${ID}`],
    run: async (cli, { words: [rolloutId] }) => await watchRollout(cli, rolloutId),
  }),
  defineCommand({
    name: "pause",
    summary: "Pause a rollout: wait with further operations until it is resumed",
    words: ["ROLLOUT"],
    examples: [`rollouts pause ${ID}`],
    async run(cli, { words: [rolloutId] }) {
      showChange(cli, await cli.api.pauseRollout({ rolloutId }), `Rollout ${rolloutId} is paused`);
    },
  }),
  defineCommand({
    name: "resume",
    summary: "Continue a paused rollout. Spokes that have failed are tried again",
    words: ["ROLLOUT"],
    options: { "skip-failed": { type: "boolean", help: "skip the spokes that have failed" } },
    examples: [`rollouts resume ${ID}`, `rollouts resume ${ID} --skip-failed`],
    async run(cli, { words: [rolloutId], options }) {
      const rollout = await cli.api.resumeRollout({ rolloutId }, { failed: options["skip-failed"] ? "skip" : "retry" });
      showChange(cli, rollout, `Rollout ${rolloutId} continues`);
    },
  }),
  defineCommand({
    name: "abort",
    summary: "End a rollout. Operations that have started continue",
    words: ["ROLLOUT"],
    examples: [`rollouts abort ${ID}`],
    async run(cli, { words: [rolloutId] }) {
      showChange(cli, await cli.api.abortRollout({ rolloutId }), `Rollout ${rolloutId} was aborted`);
    },
  }),
];

async function watchRollout(cli: CliContext, rolloutId: string): Promise<void> {
  for (let last = "";;) {
    const rollout = await cli.api.getRollout({ rolloutId }), line = formatProgress(rollout);
    const isOver = rollout.state !== "running" && rollout.counts.running + rollout.counts.checking === 0;
    if (line !== last) printNote(cli, line);
    last = line;
    if (isOver) {
      if (cli.json) showJson(cli, rollout);
      if (rollout.state === "completed" && rollout.counts.failed === 0) return;
      throw new CommandError(
        EXIT.failed,
        `Rollout ${rolloutId} is ${rollout.state}. ${rollout.reason ?? "Spokes failed"}`,
      );
    }
    await sleep(WATCH_INTERVAL);
  }
}

function formatProgress(rollout: Rollout): string {
  const counts = Object.entries(rollout.counts).filter(([, count]) => count > 0).map(([state, count]) =>
    `${count} ${state}`
  );
  const wave = formatWave(rollout);
  return [`${wave === null ? "" : `Wave ${wave}: `}${counts.join(", ")}`, rollout.reason ?? rollout.note ?? ""].filter(
    Boolean,
  )
    .join(". ");
}

async function showDetail(cli: CliContext, rollout: RolloutDetail): Promise<void> {
  const lines: readonly RecordLine[] = [
    ["rollout", rollout.id],
    ["state", rollout.state, "state"],
    ["action", formatAction(rollout)],
    ["wave", formatWave(rollout)],
    ...formatRules(rollout),
    ["now", rollout.note],
    ["reason", rollout.reason],
    ["requested by", rollout.requestedBy.email],
    ["created", rollout.createdAt, "time"],
    ["finished", rollout.finishedAt, "time"],
  ];
  showRecord(cli, rollout, () => lines);
  if (cli.json || cli.quiet) return;
  const columns = await spokeColumns<RolloutDetail["spokes"][number]>(cli);
  showTable(cli, rollout.spokes, [
    ...columns.slice(0, 2),
    ["STATE", (one) => one.state, "state"],
    ["OPERATION", (one) => one.operationId, "id"],
    ...columns.slice(2),
  ]);
}

async function showPreview(cli: CliContext, preview: RolloutPreview): Promise<void> {
  if (cli.json) return showJson(cli, preview);
  const waves = preview.waves.filter((count) => count > 0).join(", ");
  showRecord(cli, preview, () => [
    ["action", formatAction(preview)],
    ["spokes in each wave", waves],
    ["skipped", String(preview.skipped)],
    ...formatEstimates(preview),
    ...formatRules(preview),
  ], "");
  showList(cli, preview.spokes, await spokeColumns(cli), ({ spokeId }) => spokeId);
}

function formatEstimates({ downtimes, usualSeconds, minimumSeconds, price }: RolloutPreview): readonly RecordLine[] {
  const clock = (seconds: number | null) => seconds === null ? null : formatClockDuration(seconds * SECOND);
  return [
    ["sites with downtime", downtimes === null ? "those whose pods change" : String(downtimes)],
    ["downtime of each", downtimes === 0 ? null : clock(usualSeconds)],
    ["downtime in all", downtimes === null || usualSeconds === null ? null : clock(downtimes * usualSeconds)],
    ["takes at least", clock(minimumSeconds) ?? "not known yet"],
    ...(price?.totals ?? []).map(({ currency, before, after }) =>
      ["price per month", `${after} instead of ${before} (minor units of ${currency})`] as const
    ),
  ];
}

type PlannedSpokeRow = RolloutPreview["spokes"][number];

async function spokeColumns<Row extends PlannedSpokeRow>(cli: CliContext): Promise<readonly TableColumn<Row>[]> {
  const hubs = await readHubSlugs(cli.api);
  return [
    ["SPOKE", (one) => formatSpokeName(one, hubs)],
    ["WAVE", (one) => one.wave === null ? null : String(one.wave)],
    ["REASON", (one) => one.reason],
  ];
}

function formatRules({ canary, batch, maxUnavailable, maxFailures, window }: RolloutPreview | Rollout): RecordLine[] {
  return [
    ["canary", `${formatCount(canary.spokes, "spoke")}, watched for ${formatCount(canary.minutes, "minute")}`],
    ["spokes per wave", batch],
    ["most unavailable", `${maxUnavailable} per cluster`],
    ["pauses after", formatCount(maxFailures, "failure")],
    ["window", window && `${window.days.join(",")} ${window.from}-${window.to} ${window.timeZone}`],
  ];
}

function formatAction({ action, parameters }: Pick<Rollout, "action" | "parameters">): string {
  return [action, ...Object.values(parameters).map(String)].join(" ");
}

function formatWave({ currentWave, waves }: Rollout): string | null {
  return currentWave === null ? null : currentWave === 0 ? "canary" : `${currentWave} of ${waves - 1}`;
}

function sumCounts({ counts }: Rollout): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.skipped;
}
