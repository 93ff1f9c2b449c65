/**
 * Names as they may stand in a mail to somebody else: one line, bounded, and without tricks.
 *
 * A name is whatever its owner chose, and it is shown to people who do not know him, in our name. So it turns no text
 * around, stacks no marks over other lines, and becomes no link where a mail program makes links of what looks like one.
 */

// Marks that make text run the other way. Letters that are written from right to left need none of them.
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/g;

/** Of a code point's many, as far as a person sees them: a family of emoji is one character, and has seven. */
const MAX_CODE_POINTS = 8;

/** On one line, of at most so many characters as people count them. */
export function cleanName(text: string, most: number): string {
  const plain = text.toWellFormed().replace(DIRECTION_MARKS, "").replace(INVISIBLE, "").replace(LINE_BREAKS, " ")
    .replace(STACKED_MARKS, "$1").trim();
  const points = [...plain].slice(0, most * MAX_CODE_POINTS).join("");
  const characters = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(points)];
  if (characters.length <= most && points === plain) return plain;
  return `${characters.slice(0, most - 1).map(({ segment }) => segment).join("").trim()}…`;
}

/** The same, and not clickable: an invisible blank stands where an address would be recognised. */
export function unlinkName(text: string, most: number): string {
  return cleanName(text, most).replace(/:\/\//g, ":/\u200b/").replace(/\.(?=[\p{L}\p{N}])/gu, ".\u200b");
}
