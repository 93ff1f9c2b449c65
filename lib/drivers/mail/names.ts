/**
 * Cleans names for use in emails. Users choose their names freely, but a name must not change the text direction, cover
 * other lines or turn into a link.
 */

// Matches characters that change the text direction. Right-to-left scripts are displayed correctly without them.
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

/** The maximum lengths of a name in the text and in the subject line, and of a reason, in characters. */
export const MAX_NAME = 60, MAX_SUBJECT_NAME = 36;
const MAX_REASON = 2000;

/** The maximum number of code points per visible character, on average. A family emoji has seven. */
const MAX_CODE_POINTS = 8;

/** Returns the name on one line, shortened to at most `maxLength` visible characters. */
export function cleanName(text: string, maxLength: number): string {
  const plain = text.toWellFormed().replace(DIRECTION_MARKS, "").replace(INVISIBLE, "").replace(LINE_BREAKS, " ")
    .replace(STACKED_MARKS, "$1").trim();
  const points = [...plain].slice(0, maxLength * MAX_CODE_POINTS).join("");
  const characters = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(points)];
  if (characters.length <= maxLength && points === plain) return plain;
  return `${characters.slice(0, maxLength - 1).map(({ segment }) => segment).join("").trim()}…`;
}

/** Returns the cleaned name with invisible spaces inserted, so that email programs do not turn it into a link. */
export function preventAutoLink(text: string, maxLength: number): string {
  return cleanName(text, maxLength).replace(/:\/\//g, ":/\u200b/").replace(/\.(?=[\p{L}\p{N}])/gu, ".\u200b");
}

/** Cleans text written by an operator. Keeps line breaks, and keeps links clickable. */
export function cleanLines(text: string): string {
  const lines = text.slice(0, MAX_REASON * 2).split(/\r\n?|\n/).map((line) => cleanName(line, MAX_REASON));
  const plain = lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
  return plain.length > MAX_REASON ? `${plain.slice(0, MAX_REASON - 1).toWellFormed()}…` : plain;
}
