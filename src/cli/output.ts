/** Prints command output: data to standard output, all other text to standard error. */
import type { CliContext } from "./command.ts";
import { type RecordLine, renderRecord, renderTable, type TableColumn } from "./table.ts";
import { formatCount } from "#lib/base/text.ts";
import { formatJson, maskSecrets, sanitizeLine, sanitizeLines } from "./text.ts";
import { UsageError } from "./exit-status.ts";
import { suggestSimilarName } from "./parse.ts";

type Named = { readonly id: string };

export function print(text: string): void {
  process.stdout.write(text);
}

/** Prints records as a table or as JSON in the API's format. With --quiet, prints only the record IDs. */
export function showList<Row extends object>(
  cli: CliContext,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  idOf: (row: Row) => string = (row) => (row as unknown as Named).id,
): void {
  if (cli.json) return showJson(cli, rows);
  if (cli.quiet) return print(rows.map((row) => `${sanitizeLine(idOf(row))}\n`).join(""));
  if (rows.length === 0) return printNote(cli, "None");
  showTable(cli, rows, columns);
}

/** Prints rows as a table. The rows need not be API records. */
export function showTable<Row>(cli: CliContext, rows: readonly Row[], columns: readonly TableColumn<Row>[]): void {
  const { text, hidden } = renderTable(cli.terminal, rows, columns);
  print(text);
  if (hidden > 0) printNote(cli, `${formatCount(hidden, "column")} hidden. Show all with -o wide`);
}

/** Prints one record: as lines for people, or as JSON in the API's format. */
export function showRecord<Row extends object>(
  cli: CliContext,
  record: Row,
  linesOf: (record: Row) => readonly RecordLine[],
  id = (record as unknown as Named).id,
): void {
  if (cli.json) showJson(cli, record);
  else print(cli.quiet ? `${sanitizeLine(id)}\n` : renderRecord(cli.terminal, linesOf(record)));
}

/** Reports a changed record: as JSON with --json, as an ID with --quiet, or else as a sentence. */
export function showChange<Row extends object>(
  cli: CliContext,
  record: Row,
  sentence: string | ((record: Row) => string),
  id = (record as unknown as Named).id,
): void {
  if (cli.json) showJson(cli, record);
  else if (cli.quiet) print(`${sanitizeLine(id)}\n`);
  else {
    const text = sanitizeLine(typeof sentence === "string" ? sentence : sentence(record)), { terminal } = cli;
    process.stderr.write(`${terminal.err ? `${terminal.paintErr("green", "✓")} ` : ""}${text}\n`);
  }
}

/** Reports several changed records. With --json, prints an array, or a single object for a single record. */
export function showChanges<Thing extends Named>(
  cli: CliContext,
  records: readonly Thing[],
  describe: (record: Thing) => string,
): void {
  if (cli.json) return showJson(cli, records.length === 1 ? records[0]! : records);
  for (const record of records) showChange(cli, record, describe);
}

/** Returns the requested changes. Throws a UsageError if none was requested. */
export function requireChanges<Changes extends object>(changes: Changes): Changes {
  if (Object.values(changes).some((value) => value !== undefined)) return changes;
  throw new UsageError("No change was requested. For the options, add --help");
}

/** Prints a value as one JSON document, limited to the fields that --json names. */
export function showJson(cli: CliContext, value: object): void {
  print(`${formatJson(selectFields(cli, value), cli.terminal.out ? 2 : 0)}\n`);
}

/** Prints a value as one line in the JSON Lines format, limited to the fields that --json names. */
export function showJsonLine(cli: CliContext, value: object): void {
  print(`${formatJson(selectFields(cli, value))}\n`);
}

/** Prints a message to standard error, unless --quiet is set. */
export function printNote(cli: Pick<CliContext, "quiet">, text: string): void {
  if (!cli.quiet) printWarning(text);
}

/** Prints a message to standard error, even with --quiet. Masks secrets in the message. */
export function printWarning(text: string): void {
  process.stderr.write(`${maskSecrets(sanitizeLines(text))}\n`);
}

/** Response fields that the API omits when the fields have no value. */
const OPTIONAL_FIELDS = ["error", "spoke", "spokeId", "operation", "expiresAt"];

/**
 * Picks the fields named by --json from the value. An unknown field becomes null and causes a warning. No error occurs,
 * because a server with another version may know the field.
 */
function selectFields({ json, unreportedFields }: CliContext, value: object): unknown {
  if (json === "all" || json === null) return value;
  const records: readonly object[] = Array.isArray(value) ? value : [value], known = Object.keys(records[0] ?? {});
  for (const path of records.length > 0 ? json : []) {
    const [name = ""] = path.split(".");
    if (
      OPTIONAL_FIELDS.includes(name) || records.some((record) => Object.hasOwn(record, name)) ||
      !unreportedFields.delete(path)
    ) {
      continue;
    }
    printWarning(
      `Unknown field ${path}${suggestSimilarName(name, known) || `. Available fields: ${known.join(", ")}`}`,
    );
  }
  const picked = records.map((record) => Object.fromEntries(json.map((path) => [path, valueAt(record, path)])));
  return Array.isArray(value) ? picked : picked[0];
}

function valueAt(record: object, path: string): unknown {
  const at = path.split(".").reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | null | undefined)?.[key],
    record,
  );
  return at ?? null;
}
