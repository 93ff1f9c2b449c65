/** Formats tables and records as text: fitted to the terminal for people, or separated by tabs for programs. */
import { findStateStyle, type Terminal, type TextStyle } from "./terminal.ts";
import { padToWidth, sanitizeLine, textWidth, truncateText } from "./text.ts";
import { formatRelativeTime } from "./times.ts";

type CellValue = string | number | boolean | null | undefined;
/**
 * The kind of value in a cell. On a terminal, times are relative and states are coloured. A column that has a kind is
 * hidden if its values do not fit; columns without a kind are truncated instead.
 */
type CellKind = "time" | "state" | "number" | "id";

export type TableColumn<Row> = readonly [head: string, of: (row: Row) => CellValue, kind?: CellKind];
export type RecordLine = readonly [name: string, value: CellValue, kind?: CellKind];

interface TableText {
  readonly text: string;
  /** The number of columns that were hidden because they do not fit into the terminal. */
  readonly hidden: number;
}

const COLUMN_GAP = 2;
/**
 * The minimum widths of the second text column and of the other text columns, in characters. If the terminal is too
 * narrow for these widths, the last columns are hidden.
 */
const MIN_SECOND_WIDTH = 8, MIN_OTHER_WIDTH = 12;

/**
 * Formats a table. `allColumns` starts with the most important columns, because the last columns are hidden if the
 * terminal is too narrow. On a terminal, columns that are empty in every row are also hidden.
 */
export function renderTable<Row>(
  terminal: Pick<Terminal, "out" | "width" | "paint">,
  rows: readonly Row[],
  allColumns: readonly TableColumn<Row>[],
): TableText {
  const cellAt = (row: Row, [, of, kind]: TableColumn<Row>) => renderCell(terminal, of(row), kind);
  if (!terminal.out) {
    return {
      text: rows.map((row) => `${allColumns.map((column) => cellAt(row, column)).join("\t")}\n`).join(""),
      hidden: 0,
    };
  }
  const columns = allColumns.filter((column, i) => i === 0 || rows.some((row) => cellAt(row, column)));
  const cells = rows.map((row) => columns.map((column) => cellAt(row, column)));
  const natural = columns.map(([head], i) => Math.max(textWidth(head), ...cells.map((row) => textWidth(row[i]!))));
  const widths = fitColumns(columns, natural, terminal.width);
  const line = (texts: readonly string[], toneAt: (i: number) => TextStyle) =>
    widths.map((width, i) => {
      const text = truncateText(texts[i]!, width), last = i === widths.length - 1;
      const padded = columns[i]![2] === "number"
        ? " ".repeat(width - textWidth(text)) + text
        : last
        ? text
        : padToWidth(text, width);
      return terminal.paint(toneAt(i), padded);
    }).join(" ".repeat(COLUMN_GAP)) + "\n";
  const tones = (row: readonly string[]) => (i: number): TextStyle =>
    columns[i]![2] === "state" ? findStateStyle(row[i]!) : "none";
  return {
    text: line(columns.map(([head]) => head), () => "dim") + cells.map((row) => line(row, tones(row))).join(""),
    hidden: columns.length - widths.length,
  };
}

/** Formats a record with one value per line. Omits null, undefined and empty values. */
export function renderRecord(terminal: Terminal, lines: readonly RecordLine[]): string {
  const present = lines.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (!terminal.out) {
    return present.map(([name, value, kind]) => `${name}\t${renderCell(terminal, value, kind)}\n`).join("");
  }
  const width = Math.max(...present.map(([name]) => name.length));
  return present.map(([name, value, kind]) => {
    const text = renderCell(terminal, value, kind);
    return `${terminal.paint("dim", name.padEnd(width))}  ${
      terminal.paint(kind === "state" ? findStateStyle(text) : "none", text)
    }\n`;
  }).join("");
}

function renderCell({ out }: Pick<Terminal, "out">, value: CellValue, kind?: CellKind): string {
  if (value === null || value === undefined) return out ? "-" : "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return sanitizeLine(kind === "time" && out ? formatRelativeTime(String(value)) : String(value));
}

/** Returns the widths of the visible columns. Shrinks the widest column first, and the first column last. */
function fitColumns<Row>(columns: readonly TableColumn<Row>[], natural: readonly number[], maxWidth: number): number[] {
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width + COLUMN_GAP, -COLUMN_GAP);
  const floors = natural.map((width, i) =>
    i === 0 || columns[i]![2] ? width : Math.min(width, i === 1 ? MIN_SECOND_WIDTH : MIN_OTHER_WIDTH)
  );
  let count = natural.length;
  while (count > 1 && sum(floors.slice(0, count)) > maxWidth) count--;
  const widths = natural.slice(0, count);
  for (let over = sum(widths) - maxWidth; over > 0; over--) {
    const shrinkable = widths.map((width, i) => width > floors[i]! ? width : 0), widest = Math.max(...shrinkable);
    widths[widest > 0 ? shrinkable.lastIndexOf(widest) : 0]!--;
  }
  return widths.map((width) => Math.max(1, width));
}
