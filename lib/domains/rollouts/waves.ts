/** Divides the spokes of a rollout into waves. */

/** The number of spokes in the first wave (wave 0, the canary; it may have none), and in each following wave. */
export interface WaveSizes {
  readonly canary: number;
  /** A number of spokes, or a percentage of all spokes, such as `10%`. */
  readonly batch: string;
}

/** Returns the wave of each spoke, in order. A percentage is rounded up, so that a wave has at least one spoke. */
export function assignWaves(count: number, { canary, batch }: WaveSizes): number[] {
  const size = batch.endsWith("%") ? Math.ceil(count * Number(batch.slice(0, -1)) / 100) : Number(batch);
  return Array.from({ length: count }, (_, i) => i < canary ? 0 : 1 + Math.floor((i - canary) / Math.max(1, size)));
}
