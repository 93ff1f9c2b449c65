/** Computes figures from measurements: medians with their spread, percentiles, and latencies from the time a request
 * was due. */

/** The median, minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Returns the percentile for this part (0 to 1), by the nearest rank. */
export function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? NaN;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b), middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function spreadOf(numbers: readonly number[]): Spread {
  return { median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) };
}

/** Returns the ratio of two measurements, round by round. Rounds are interleaved, so both numbers of a round were
 * measured under similar load. */
export function ratioOf(these: readonly number[], those: readonly number[]): Spread {
  return spreadOf(these.map((one, i) => one / those[i]!));
}

/** The times at which requests are due, in milliseconds from the start, at a fixed rate per second. */
export interface Schedule {
  readonly count: number;
  dueAt(i: number): number;
  /** Returns the number of requests due by then. */
  dueBy(ms: number): number;
}

export function scheduleOf(rate: number, ms: number): Schedule {
  const gap = 1000 / rate, count = Math.max(1, Math.floor(ms / gap));
  return { count, dueAt: (i) => i * gap, dueBy: (at) => Math.min(count, Math.floor(at / gap) + 1) };
}

/** Returns latencies from the time each request was due, not from the time it was sent. A server that stalls also
 * delays the requests that wait to be sent (coordinated omission). */
export function latencySinceDue(schedule: Schedule, answeredAt: readonly number[]): number[] {
  return answeredAt.map((at, i) => at - schedule.dueAt(i));
}

/** Formats a number with three significant digits. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function formatSpread({ median, min, max }: Spread): string {
  return `${formatNumber(median)} (${formatNumber(min)}–${formatNumber(max)})`;
}

/** Returns lines with columns as wide as their widest cell. The first column is aligned left, the others right. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ").trimEnd();
  return rows.map(line).join("\n");
}
