/** Formats tables and records as text: fitted to the terminal for people, separated by tabs for programs. */
import { type Ink, type Terminal, toneOf } from "./terminal.ts";
import { cut, padTo, plain, widthOf } from "./text.ts";
import { ago } from "./times.ts";

type CellValue = string | number | boolean | null | undefined;
/**
 * How to show a value. A time is relative for people and ISO for programs. A state has a colour. Values with a kind are
 * never cut: the column is shown in full or hidden.
 */
type CellKind = "time" | "state" | "number" | "id";

export type Column<Row> = readonly [head: string, of: (row: Row) => CellValue, kind?: CellKind];
export type Line = readonly [name: string, value: CellValue, kind?: CellKind];

interface Table {
  readonly text: string;
  /** The number of columns that do not fit the terminal. */
  readonly hidden: number;
}

const GAP = 2;
/**
 * The minimum widths of text columns: LEAST for the second column, EASY for those after it. If these do not fit, the
 * last columns are hidden.
 */
const LEAST = 8, EASY = 12;

/**
 * Formats a table. `all` lists the most important columns first, because the last columns are hidden if the terminal is
 * too narrow. On a terminal, columns with only empty texts are hidden as well.
 */
export function tableOf<Row>(terminal: Terminal, rows: readonly Row[], all: readonly Column<Row>[]): Table {
  const cellAt = (row: Row, [, of, kind]: Column<Row>) => cellOf(terminal, of(row), kind);
  if (!terminal.out) {
    return { text: rows.map((row) => `${all.map((column) => cellAt(row, column)).join("\t")}\n`).join(""), hidden: 0 };
  }
  const columns = all.filter((column, i) => i === 0 || rows.some((row) => cellAt(row, column)));
  const cells = rows.map((row) => columns.map((column) => cellAt(row, column)));
  const natural = columns.map(([head], i) => Math.max(widthOf(head), ...cells.map((row) => widthOf(row[i]!))));
  const widths = fit(columns, natural, terminal.width);
  const line = (texts: readonly string[], toneAt: (i: number) => Ink) =>
    widths.map((width, i) => {
      const text = cut(texts[i]!, width), last = i === widths.length - 1;
      const padded = columns[i]![2] === "number"
        ? " ".repeat(width - widthOf(text)) + text
        : last
        ? text
        : padTo(text, width);
      return terminal.paint(toneAt(i), padded);
    }).join(" ".repeat(GAP)) + "\n";
  const tones = (row: readonly string[]) => (i: number): Ink => columns[i]![2] === "state" ? toneOf(row[i]!) : "none";
  return {
    text: line(columns.map(([head]) => head), () => "dim") + cells.map((row) => line(row, tones(row))).join(""),
    hidden: columns.length - widths.length,
  };
}

/** Formats a record, one value per line. Leaves out null, undefined and empty values. */
export function recordOf(terminal: Terminal, lines: readonly Line[]): string {
  const known = lines.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!terminal.out) return known.map(([name, value, kind]) => `${name}\t${cellOf(terminal, value, kind)}\n`).join("");
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value, kind]) => {
    const text = cellOf(terminal, value, kind);
    return `${terminal.paint("dim", name.padEnd(width))}  ${
      terminal.paint(kind === "state" ? toneOf(text) : "none", text)
    }\n`;
  }).join("");
}

function cellOf({ out }: Terminal, value: CellValue, kind?: CellKind): string {
  if (value === null || value === undefined) return out ? "-" : "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return plain(kind === "time" && out ? ago(String(value)) : String(value));
}

/** Returns the widths of the visible columns. The widest column shrinks first, the one with the row's name last. */
function fit<Row>(columns: readonly Column<Row>[], natural: readonly number[], room: number): number[] {
  const sum = (widths: readonly number[]) => widths.reduce((all, one) => all + one + GAP, -GAP);
  const floors = natural.map((width, i) => i === 0 || columns[i]![2] ? width : Math.min(width, i === 1 ? LEAST : EASY));
  let kept = natural.length;
  while (kept > 1 && sum(floors.slice(0, kept)) > room) kept--;
  const widths = natural.slice(0, kept);
  for (let over = sum(widths) - room; over > 0; over--) {
    const giving = widths.map((width, i) => width > floors[i]! ? width : 0), widest = Math.max(...giving);
    widths[widest > 0 ? giving.lastIndexOf(widest) : 0]!--;
  }
  return widths.map((width) => Math.max(1, width));
}
