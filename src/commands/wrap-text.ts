/** Wraps text into lines that fit into the terminal. */

/** Formats a list of commands or options. Puts each description next to the name, or below in a narrow terminal. */
export function formatRows(rows: readonly (readonly [typed: string, what: string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length)) + 4,
    isNarrow = width + MIN_DESCRIPTION_WIDTH > terminalWidth();
  return rows.map(([typed, what]) => {
    const head = isNarrow ? `  ${typed}\n      ` : `  ${typed}`.padEnd(width);
    return `${head}${wrapText(what, " ".repeat(isNarrow ? 6 : width), isNarrow ? 6 : width)}\n`;
  }).join("");
}

/** The minimum width for a description next to its name, in columns. */
const MIN_DESCRIPTION_WIDTH = 30;

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
