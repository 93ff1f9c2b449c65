/** Text for people in lines: in a terminal none is wider than that. */

/** A row each: what is typed, and what it does, beside it where the terminal leaves room for that, and else below. */
export function listed(rows: readonly (readonly [typed: string, what: string])[]): string {
  const width = Math.max(...rows.map(([typed]) => typed.length)) + 4, isNarrow = width + LEAST > columns();
  return rows.map(([typed, what]) => {
    const head = isNarrow ? `  ${typed}\n      ` : `  ${typed}`.padEnd(width);
    return `${head}${wrapped(what, " ".repeat(isNarrow ? 6 : width), isNarrow ? 6 : width)}\n`;
  }).join("");
}

/** Columns that are left for what it does. */
const LEAST = 30;

/** In as many lines as the terminal needs, all but the first indented; that one begins at the column `taken`. */
export function wrapped(text: string, indent = "", taken = 0): string {
  const [first = "", ...words] = text.split(" "), most = columns();
  let column = taken + first.length;
  return first + words.map((word) => {
    column += 1 + word.length;
    if (column <= most) return ` ${word}`;
    column = indent.length + word.length;
    return `\n${indent}${word}`;
  }).join("");
}

function columns(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Infinity;
}
