/** Makes external text safe to show by replacing control and bidirectional characters with visible escapes. */

/** Matches terminal escape sequences. */
// deno-lint-ignore no-control-regex
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

// Matches control characters and bidirectional marks. Right-to-left text is displayed correctly without these marks.
const HIDDEN_MARKS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Strips colours, NUL characters and the CR of a CRLF; escapes other invisible characters except LF and tab. */
export function escapeInvisibleCharacters(text: string): string {
  return stripColours(text).toWellFormed().replaceAll("\0", "").replace(/\r+\n/g, "\n").replace(
    HIDDEN_MARKS,
    escapeMark,
  );
}

export function stripColours(text: string): string {
  return text.replace(SEQUENCES, "");
}

/** Escapes invisible characters in all strings and property names in a JSON value. */
export function escapeInvisibleCharactersDeep(value: unknown): unknown {
  if (typeof value === "string") return escapeInvisibleCharacters(value);
  if (Array.isArray(value)) return value.map(escapeInvisibleCharactersDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [escapeInvisibleCharacters(name), escapeInvisibleCharactersDeep(each)]),
  );
}

function escapeMark(character: string): string {
  if (character === "\n" || character === "\t") return character;
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;
}
