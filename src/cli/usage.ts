/** Implements `wheelwright usage`, which shows the storage, users and courses of a spoke or hub. */
import { type HubUsage, type SpokeUsage, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { defineCommand } from "./command.ts";
import { UsageError } from "./exit-status.ts";
import { resolveSpokeId } from "./find-spoke.ts";
import { print, printNote, showRecord, showTable } from "./output.ts";
import type { RecordLine } from "./table.ts";

export const usageCommand = defineCommand({
  words: ["NAME"],
  options: {
    days: { type: "string", value: "N", help: "show samples of the last N days: hourly up to 2, daily up to 730" },
  },
  more: "A name without a slash or dot is first looked up as a hub.",
  examples: ["usage north", "usage north/ash --days 30", "usage north/ash --json=storagePercent,fullAt"],
  async run(cli, { words: [name], options: { days } }) {
    if (days !== undefined && !/^\d{1,3}$/.test(days)) {
      throw new UsageError("--days must be a whole number from 1 to 730");
    }
    const usage = await readUsage(cli.api, name, days);
    showRecord(cli, usage, formatUsageLines, "spokeId" in usage ? usage.spokeId : usage.federationId);
    if (cli.json || cli.quiet || days === undefined) return;
    if (usage.samples.length === 0) return printNote(cli, "No samples yet");
    print("\n");
    showTable<HubUsage["samples"][number] | SpokeUsage["samples"][number]>(cli, usage.samples, [
      ["AT", ({ at }) => at, "time"],
      ["FILES", ({ filesUsed }) => formatSize(filesUsed)],
      ["DATABASE", ({ databaseUsed }) => formatSize(databaseUsed)],
      ["USERS", ({ users }) => users, "number"],
      ["ACTIVE", ({ activeUsers }) => activeUsers, "number"],
      ["COURSES", ({ courses }) => courses, "number"],
    ]);
  },
});

/** Reads the usage of a hub or, if no hub has this name, of a spoke. */
async function readUsage(api: Wheelwright, name: string, days: string | undefined): Promise<SpokeUsage | HubUsage> {
  const query = days === undefined ? {} : { days: Number(days) };
  if (!/[/.]|^spk_/.test(name)) {
    try {
      return await api.getFederationUsage({ federationId: name, ...query });
    } catch (error) {
      if (!(error instanceof WheelwrightError) || error.statusCode !== 404 || name.startsWith("fed_")) throw error;
    }
  }
  return await api.getSpokeUsage({ spokeId: await resolveSpokeId(api, name), ...query });
}

function formatUsageLines(usage: SpokeUsage | HubUsage): readonly RecordLine[] {
  const { filesUsed, filesSize, databaseUsed, databaseSize, users, activeUsers, courses, measuredAt } = usage;
  return [
    ["files", formatUsed(filesUsed, filesSize)],
    ["database", formatUsed(databaseUsed, databaseSize)],
    ...("spokeId" in usage
      ? [
        ["storage used", usage.storagePercent === null ? null : `${usage.storagePercent}%`],
        ["full on", usage.fullAt, "time"],
        ["scheduled tasks", usage.tasksAt, "time"],
        ["failing tasks", describeFailingTasks(usage)],
        ["task waits since", usage.tasksWaitingSince, "time"],
        ["Moodle's checks", describeChecks(usage)],
        ["all workers busy", usage.workersBusyAt, "time"],
      ] as const
      : [["spokes", usage.spokes], ["80% full or more", usage.fullSpokes]] as const),
    ["users", users],
    ["active in 30 days", activeUsers],
    ["courses", courses],
    measuredAt === null ? ["measured", "not yet"] : ["measured", measuredAt, "time"],
  ];
}

function describeFailingTasks({ failingTasks, failingTaskNames: names }: SpokeUsage): string | null {
  if (failingTasks === null) return null;
  return failingTasks === 0 ? "none" : `${failingTasks}: ${names.join(", ")}`;
}

function describeChecks({ failedChecks }: SpokeUsage): string | null {
  return failedChecks && (failedChecks.length === 0 ? "passed" : `failed: ${failedChecks.join(", ")}`);
}

function formatUsed(used: number | null, size: number | null): string | null {
  return used === null || size === null ? null : `${formatSize(used)} of ${formatSize(size)}`;
}

/** Formats a number of bytes with a binary unit: `10737418240` becomes 10 GiB. */
export function formatSize(bytes: number | null): string | null {
  if (bytes === null) return null;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** unit;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
