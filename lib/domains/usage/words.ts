/** Describes the usage of a site in words. Pure. */
import type { DiskKind } from "#lib/domains/usage/storage.ts";

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Formats a number of bytes with a binary unit: `10737418240` becomes 10 GiB. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** unit;
  return `${value < 10 && unit > 0 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[unit]}`;
}

interface DiskDescription {
  readonly disk: DiskKind;
  readonly used: number;
  readonly size: number;
  /** When the disk is full at the present growth; null if that is unknown. */
  readonly fullAt: Date | null;
}

/** Returns a sentence without its full stop, such as "The files use 8.1 GiB of 10 GiB". */
export function describeStorage({ disk, used, size, fullAt }: DiskDescription): string {
  const usage = `The ${disk === "files" ? "files use" : "database uses"} ${formatBytes(used)} of ${formatBytes(size)}`;
  return fullAt === null
    ? usage
    : `${usage}. At the present growth, the disk is full on ${fullAt.toLocaleDateString("en-GB", DAY)}`;
}

const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
