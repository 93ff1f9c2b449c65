/** Which of the names that are new may be one that is gone. A guess, which only makes the sentence better. */

/** The new name by the old one. */
type Renamed = ReadonlyMap<string, string>;

/** `isAlike` says whether what stands under a new name could be what stood under the old one. */
export function findRenamed(
  gone: readonly string[],
  fresh: readonly string[],
  isAlike: (gone: string, fresh: string) => boolean,
): Renamed {
  const pairs = gone.flatMap((name) =>
    fresh.filter((other) => isAlike(name, other)).map((other) => [name, other] as const)
  )
    .sort((one, other) => likeness(...other) - likeness(...one));
  const renamed = new Map<string, string>();
  for (const [name, other] of pairs) {
    if (!renamed.has(name) && ![...renamed.values()].includes(other)) renamed.set(name, other);
  }
  return renamed;
}

/** 0 for names that share no two letters in a row, 1 for the same name in whatever case. */
function likeness(one: string, other: string): number {
  const [left, right] = [pairsOf(one), pairsOf(other)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return 2 * shared / Math.max(1, left.size + right.size);
}

function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}
