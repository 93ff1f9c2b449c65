/** Guesses which new name replaces a removed one. The guess only improves the message. */

/** The new names by old name. */
type Renamed = ReadonlyMap<string, string>;

/** `isAlike` decides whether the content under a new name could be that of the old one. */
export function matchRenames(
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

/** Returns 0 for names without a common pair of letters, and 1 for the same name, ignoring case. */
function likeness(one: string, other: string): number {
  const [left, right] = [pairsOf(one), pairsOf(other)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return 2 * shared / Math.max(1, left.size + right.size);
}

function pairsOf(name: string): Set<string> {
  const letters = name.toLowerCase();
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}
