/** Prepares text for a terminal: replaces control characters that a server may have sent, and measures or cuts text. */

/** Control characters, line separators, and characters that change the direction of text. */
// deno-lint-ignore no-control-regex
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text as one line, with each control character replaced by U+FFFD. */
export function sanitizeLine(text: string): string {
  return text.toWellFormed().replace(/\s*\r?\n\s*|\t/g, " ").replace(CONTROLS, "\ufffd");
}

/** Returns the text with its line breaks, and with each other control character replaced by U+FFFD. */
export function sanitizeLines(text: string): string {
  return text.replace(/\r\n/g, "\n").split("\n").map((line) => sanitizeLine(line.replaceAll("\t", "    "))).join("\n");
}

/** Masks tokens, and the user names and passwords in URLs, which a user may have typed in the wrong place. */
export function maskSecrets(text: string): string {
  return text.replace(/\b(ww_[a-z]+_)[\w-]{8,}/g, "$1…").replace(/\/\/[^\s/@]*@/g, "//…@");
}

/** Formats a value as JSON. Also escapes the control characters that `JSON.stringify` does not escape. */
export function formatJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent)
    .replace(
      /[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

const DOUBLE_WIDTH =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const ASCII = /^[ -~]*$/;

/** Returns the number of terminal columns that the text occupies. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const letter of text) width += ZERO_WIDTH.test(letter) ? 0 : DOUBLE_WIDTH.test(letter) ? 2 : 1;
  return width;
}

/** Cuts the text to the given number of columns. If anything was cut, the result ends with `…`. */
export function truncateText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let result = "", width = 0;
  for (const letter of text) {
    const more = textWidth(letter);
    if (width + more > columns - 1) break;
    result += letter;
    width += more;
  }
  return columns > 0 ? `${result}…` : "";
}

export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** The minimum width for a description next to its name, in columns. */
const MIN_DESCRIPTION_WIDTH = 30;

/** Formats a list of commands or options. Puts each description next to the name, or below in a narrow terminal. */
export function formatRows(rows: readonly (readonly [typed: string, what: string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length)) + 4,
    isNarrow = width + MIN_DESCRIPTION_WIDTH > terminalWidth();
  return rows.map(([typed, what]) => {
    const head = isNarrow ? `  ${typed}\n      ` : `  ${typed}`.padEnd(width);
    return `${head}${wrapText(what, " ".repeat(isNarrow ? 6 : width), isNarrow ? 6 : width)}\n`;
  }).join("");
}

/** Wraps the text. The first line starts at column `taken`; each later line starts with `indent`. */
export function wrapText(text: string, indent = "", taken = 0): string {
  const [first = "", ...words] = text.split(" "), most = terminalWidth();
  let column = taken + first.length;
  return first + words.map((word) => {
    column += 1 + word.length;
    if (column <= most) return ` ${word}`;
    column = indent.length + word.length;
    return `\n${indent}${word}`;
  }).join("");
}

function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity;
}
