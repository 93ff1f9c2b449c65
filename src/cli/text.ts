/** Text for a terminal: what a server says can neither move the cursor nor set colours, and its width is known. */

/** Controls, and what turns the direction of a line around. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** One line of it. */
export function plain(text: string): string {
  return text.toWellFormed().replace(/\s*\r?\n\s*|\t/g, " ").replace(CONTROLS, "\ufffd");
}

/** Several lines, as they stand. */
export function plainLines(text: string): string {
  return text.replace(/\r\n/g, "\n").split("\n").map((line) => plain(line.replaceAll("\t", "    "))).join("\n");
}

/** Hides what looks like a token, or like a password in an address: somebody may have typed one where it does not belong. */
export function withoutSecrets(text: string): string {
  return text.replace(/\b(ww_[a-z]+_)[\w-]{8,}/g, "$1…").replace(/\/\/[^\s/@]*@/g, "//…@");
}

/** JSON for a terminal or a program: also those controls are written as escapes that JSON itself lets pass. */
export function writtenJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent)
    .replace(
      /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NARROWEST = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const ASCII = /^[ -~]*$/;

/** How many columns it takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += NARROWEST.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
  return width;
}

/** The text in so many columns at most; what does not fit is cut, and … says so. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "", width = 0;
  for (const letter of text) {
    const more = widthOf(letter);
    if (width + more > columns - 1) break;
    kept += letter;
    width += more;
  }
  return columns > 0 ? `${kept}…` : "";
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

export function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
