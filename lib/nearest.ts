/** What somebody meant who mistyped a name: the known one that it takes the fewest changes to. */

/** Null where nothing known is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(word.length / 3));
  const [best] = known.map((name) => ({ name, changes: changesBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => changes <= most).sort((a, b) => a.changes - b.changes);
  return best?.name ?? null;
}

/** Letters put in, left out, exchanged, or swapped with their neighbour. */
function changesBetween(a: string, b: string): number {
  let [before, row] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1], swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      if (swapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
