/** Defines what the CATALOG file says about a tier, and computes the values that a tier gives to its hub's spokes. */
import * as v from "valibot";
import { boundedText } from "#lib/base/schema.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { BackupWindow } from "#lib/model/backup.ts";
import { CatalogEntryName } from "#lib/moodle/sizes.ts";
import { tierInputEntries, type TierInputs } from "#lib/moodle/tier-inputs.ts";

const TIME = 'must be a time of day (UTC) in quotes, such as "22:00"';
const TimeOfDay = v.pipe(v.string(TIME), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, TIME));

const SIZES = "must be a list of sizes without repetitions";
const SPOKES = "must be a whole number from 1 to 1000000";
const STORAGE = "must be a quantity such as 500Gi";

const { retention, ...placementEntries } = tierInputEntries;

export const CatalogTier = v.strictObject({
  name: boundedText(1, 100),
  title: v.optional(boundedText(1, 200)),
  ...placementEntries,
  /** The sizes that spokes of the hub may have. Every size is allowed if the field is missing. */
  sizes: v.optional(v.pipe(
    v.array(CatalogEntryName, SIZES),
    v.check((names) => names.length > 0 && new Set(names).size === names.length, SIZES),
  )),
  backups: v.optional(v.strictObject({
    /** The time in which nightly backups start. Without it, they start between 22:00 and 04:00 UTC. */
    window: v.optional(v.pipe(
      v.strictObject({ from: TimeOfDay, to: TimeOfDay }),
      v.check(({ from, to }) => from !== to, "must not end at the time at which it starts"),
    )),
    retention,
  })),
  /** The limits for all spokes of a hub together. */
  bounds: v.optional(v.strictObject({
    spokes: v.optional(v.pipe(v.number(SPOKES), v.integer(SPOKES), v.minValue(1, SPOKES), v.maxValue(1e6, SPOKES))),
    /** The storage of the volumes of all sites, without backups and without volumes that a restore has replaced. */
    storage: v.optional(v.pipe(
      v.union([v.string(), v.number()], STORAGE),
      v.transform(String),
      v.check((text) => parseQuantity(text) > 0, STORAGE),
    )),
  })),
});
export type CatalogTier = v.InferOutput<typeof CatalogTier>;

/** Returns a message for each size that the catalog does not have. */
export function findUnknownSizes(tiers: readonly CatalogTier[], offered: readonly string[]): string[] {
  return tiers.flatMap(({ name, sizes = [] }) =>
    sizes.filter((size) => !offered.includes(size)).map((size) =>
      `tiers: ${name}: sizes: ${size} is not a size of the catalog, which has ${offered.join(", ")}`
    )
  );
}

/** Whether the tier says more than its name. Only operators may give such a tier to a hub, or take it away. */
export function isRestrictedTier(tier: CatalogTier | undefined): boolean {
  const { name: _, title: __, ...rest } = tier ?? { name: "" };
  return Object.values(rest).some((value) => value !== undefined);
}

/** Returns what the tier sets on sites; undefined if it sets nothing. */
export function toTierInputs(tier: CatalogTier | undefined): TierInputs | undefined {
  const { nodeSelector, tolerations, priorityClass, backups } = tier ?? {}, kept = backups?.retention;
  const inputs: TierInputs = {
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(priorityClass !== undefined && { priorityClass }),
    ...(kept && { retention: kept }),
  };
  return Object.keys(inputs).length === 0 ? undefined : inputs;
}

/** Returns when the tier's nightly backups start; null if the tier does not say. */
export function toBackupWindow(tier: CatalogTier | undefined): BackupWindow | null {
  const { window } = tier?.backups ?? {};
  if (!window) return null;
  const start = parseTimeOfDay(window.from), end = parseTimeOfDay(window.to);
  return { start, end: end > start ? end : end + DAY };
}

function parseTimeOfDay(text: string): number {
  const [hours, minutes] = text.split(":").map(Number);
  return hours! * HOUR + minutes! * MINUTE;
}
