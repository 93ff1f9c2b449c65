/** Formats counts and lists of words for messages. */

/** Formats a number with its noun, for example "1 problem" or "3 problems". */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Joins words into a list, for example "a, b and c". */
export function formatList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
