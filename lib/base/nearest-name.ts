/** Finds the known name that a user probably meant to type. */

/** The maximum length of names to compare, because comparing longer names would be slow. */
const MAX_LENGTH = 64;

/** Returns the most similar known name, ignoring case. Returns null if more than one letter in four differs. */
export function findNearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  const [best] = known.map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ other, distance }) => distance <= Math.max(1, Math.floor(other.length / 4)) && distance < name.length)
    .sort((one, two) => one.distance - two.distance);
  return best?.other ?? null;
}

/** Returns the Damerau-Levenshtein distance between two names. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i], above = rows[i - 1]!;
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + same);
      row.push(swapped ? Math.min(least, rows[i - 2]![j - 2]! + 1) : least);
    }
    rows.push(row);
  }
  return rows[one.length]![other.length]!;
}
