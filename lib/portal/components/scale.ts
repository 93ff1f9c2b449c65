/** Chooses the top of a chart's scale: a round number that is not below the highest value, and has a round half. */
const STEPS = [2, 4, 6, 8, 10] as const;
/** Seconds whose half is round as well. */
const DURATIONS = [2, 4, 10, 20, 60, 120, 240, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400] as const;
const DAY = 86_400;

export function roundUpCount(highest: number): number {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(highest, 1))) - 1);
  return power * (STEPS.find((step) => step * power >= highest) ?? 10);
}

export function roundUpSeconds(highest: number): number {
  return DURATIONS.find((seconds) => seconds >= highest) ?? DAY * roundUpCount(highest / DAY);
}

export function roundUpBytes(highest: number): number {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(highest, 1)) / 10);
  return unit * roundUpCount(highest / unit);
}

/** Returns the highest of the values. 0 if none is known. */
export function findHighest(values: readonly (number | null)[]): number {
  return values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
}
