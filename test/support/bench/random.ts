/** Generates reproducible random numbers with the algorithm mulberry32: the same seed produces the same numbers. */

export interface SeededRandom {
  /** Returns a random number from 0 up to, but not including, 1. */
  next(): number;
  between(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  /** Returns one of the names. The probability of each name is proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
  /** Returns another generator, with a seed that this generator produced. */
  branch(): SeededRandom;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    weighted(weights) {
      const all = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * all.reduce((sum, [, weight]) => sum + weight, 0);
      return (all.find(([, weight]) => (left -= weight) < 0) ?? all.at(-1)!)[0];
    },
    branch: () => createSeededRandom(Math.floor(next() * 2 ** 32)),
  };
}
