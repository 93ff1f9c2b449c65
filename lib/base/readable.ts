/** Makes text from outside safe to show: marks that turn text around and control characters become visible escapes. */

// Letters that are written from right to left need none of these marks.
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Keeps line feeds and tabs. A carriage return before a line feed is left out. */
export function readable(text: string): string {
  return text.toWellFormed().replace(/\r+\n/g, "\n").replace(HIDDEN, escapeHidden);
}

function escapeHidden(character: string): string {
  if (character === "\n" || character === "\t") return character;
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}
