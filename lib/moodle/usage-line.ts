/**
 * Parses the line about a site's usage that usage.php leaves as the termination message of a pod. The site's own
 * administrators can change what the line says, so each value is checked, and unknown fields are ignored.
 */
import * as v from "valibot";
import { AddonComponent, type InstalledAddon } from "#lib/model/addon.ts";

const MAX_BYTES = 2 ** 50; // a pebibyte
const MAX_COUNT = 1_000_000_000;

const upTo = (most: number) =>
  v.optional(v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(most))), null);
const Bytes = upTo(MAX_BYTES), Count = upTo(MAX_COUNT);
/** A time in seconds since 1970, before the year 2200. */
const Time = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(7_258_118_400));
/** Names of classes and checks. They are shown to users, so that anything else in the list is left out. */
const CodeNames = v.pipe(
  v.array(v.unknown()),
  v.transform((names) => names.filter((name) => typeof name === "string")),
  v.transform((names) => names.filter((name) => /^[\\\w]{1,120}$/.test(name)).slice(0, 10)),
);

/** Text such as `mod_attendance 2024101100`, with ` off` if the add-on is disabled. */
const ADDON = /^(\w+) (\d{1,12}(?:\.\d{1,2})?)( off)?$/;
/** The maximum number of add-ons in a line. A termination message has room for fewer. */
const MAX_ADDONS = 300;
const Addons = v.pipe(
  v.array(v.unknown()),
  v.transform((texts) => texts.slice(0, MAX_ADDONS).flatMap(parseAddon)),
  v.transform((addons) => [...new Map(addons.map((addon) => [addon.component, addon])).values()]), // without duplicates
);

const UsageLine = v.object({
  /** The version of the format. */
  usage: v.literal(1),
  /** When the site measured the values. */
  at: Time,
  /** The size of the file system that contains the site's files. This may be a whole disk of the node. */
  disk: Bytes,
  diskUsed: Bytes,
  /** The size of the files that users uploaded. */
  content: Bytes,
  /** The size of all the site's folders, measured once a day. */
  folders: Bytes,
  foldersAt: v.optional(v.nullable(Time), null),
  database: Bytes,
  /** The size of the database's write-ahead log, which is on the same disk. */
  databaseLog: Bytes,
  users: Count,
  /** The users who used the site in the last 30 days. */
  activeUsers: Count,
  courses: Count,
  /** When Moodle's scheduled tasks last started. */
  tasksAt: v.optional(v.nullable(Time), null),
  /** The number of scheduled and ad hoc tasks that failed when they last ran, and the names of some of them. */
  failingTasks: Count,
  failingTaskNames: v.optional(CodeNames, []),
  /** Since when the oldest ad hoc task waits although it could run. Null if none waits. */
  tasksWaitingSince: v.optional(v.nullable(Time), null),
  /** The checks of Moodle's status report that failed, such as `core_upgradecheck`, and when Moodle made them. */
  failedChecks: v.optional(v.nullable(CodeNames), null),
  checkedAt: v.optional(v.nullable(Time), null),
  /** How often all PHP workers were busy, since the site exists, and when the site last noticed it. */
  workersBusy: Count,
  workersBusyAt: v.optional(v.nullable(Time), null),
  /** The settings in mdl_config whose value differs from what the hub shares. */
  changedSettings: v.optional(CodeNames, []),
  /** The add-ons that fit into the line, the number of all add-ons, and when Moodle listed them. */
  addons: v.optional(v.nullable(Addons), null),
  addonCount: Count,
  addonsAt: v.optional(v.nullable(Time), null),
});
export type UsageLine = v.InferOutput<typeof UsageLine>;

/** Returns an empty list if this is not an add-on, so that a damaged entry does not hide the others. */
function parseAddon(text: unknown): InstalledAddon[] {
  const [, component, version, off] = (typeof text === "string" && ADDON.exec(text)) || [];
  return v.is(AddonComponent, component) ? [{ component, version: Number(version), enabled: off === undefined }] : [];
}

/** Returns null if the text is not such a line. */
export function parseUsageLine(text: string): UsageLine | null {
  if (!text.startsWith("{")) return null;
  try {
    const { success, output } = v.safeParse(UsageLine, JSON.parse(text));
    return success ? output : null;
  } catch {
    return null;
  }
}
