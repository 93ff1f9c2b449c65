/** Prints the output of commands: data on standard output, everything else on standard error. */
import type { CliContext } from "./verb-declaration.ts";
import { type RecordLine, renderRecord, renderTable, type TableColumn } from "./table.ts";
import { formatJson, maskSecrets, plural, sanitizeLine, sanitizeLines } from "./text.ts";
import { didYouMean } from "../commands/parse-options.ts";

type Named = { readonly id: string };

export function print(text: string): void {
  process.stdout.write(text);
}

/** Prints records as a table, or as the API's JSON. --quiet prints only their IDs. */
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

/** Prints rows that are not records of the API. */
export function showTable<Row>(cli: CliContext, rows: readonly Row[], columns: readonly TableColumn<Row>[]): void {
  const { text, hidden } = renderTable(cli.terminal, rows, columns);
  print(text);
  if (hidden > 0) printNote(cli, `${plural(hidden, "column")} hidden (-o wide shows all)`);
}

/** Prints one record: `lines` for people, or the API's JSON. */
export function showRecord(
  cli: CliContext,
  record: object,
  lines: readonly RecordLine[],
  id = (record as Named).id,
): void {
  if (cli.json) showJson(cli, record);
  else print(cli.quiet ? `${sanitizeLine(id)}\n` : renderRecord(cli.terminal, lines));
}

/** Reports a change: the record for programs, only a sentence for people. */
export function showChange(cli: CliContext, record: object, sentence: string, id = (record as Named).id): void {
  if (cli.json) showJson(cli, record);
  else if (cli.quiet) print(`${sanitizeLine(id)}\n`);
  else printSuccess(cli, sentence);
}

/** Reports changes of several records. The JSON is an array, or the record itself if there is only one. */
export function showChanges<Thing extends Named>(
  cli: CliContext,
  records: readonly Thing[],
  describe: (record: Thing) => string,
): void {
  if (cli.json) return showJson(cli, records.length === 1 ? records[0]! : records);
  for (const record of records) showChange(cli, record, describe(record));
}

/** Prints one JSON document with the requested fields. */
export function showJson(cli: CliContext, value: object): void {
  print(`${formatJson(selectFields(cli, value), cli.terminal.out ? 2 : 0)}\n`);
}

/** Prints one line of JSON Lines with the requested fields. */
export function showJsonLine(cli: CliContext, value: object): void {
  print(`${formatJson(selectFields(cli, value))}\n`);
}

/** Prints text that is not data on standard error, unless --quiet is set. */
export function printNote(cli: Pick<CliContext, "quiet">, text: string): void {
  if (!cli.quiet) printWarning(text);
}

/** Prints text on standard error, even with --quiet. Secrets in it are masked. */
export function printWarning(text: string): void {
  process.stderr.write(`${maskSecrets(sanitizeLines(text))}\n`);
}

function printSuccess(cli: CliContext, sentence: string): void {
  const { terminal, quiet } = cli;
  if (!quiet) {
    process.stderr.write(`${terminal.err ? `${terminal.paintErr("green", "✓")} ` : ""}${sanitizeLine(sentence)}\n`);
  }
}

/** Fields that the API omits if they have no value. */
const OPTIONAL_FIELDS = ["error", "spoke", "spokeId", "operation", "expiresAt"];

/**
 * Picks the fields of --json from the value. An unknown field becomes null, with one warning. It is not an error,
 * because a server of another release may have it.
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
    printWarning(`Unknown field ${path}${didYouMean(name, known) || `. Available fields: ${known.join(", ")}`}`);
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
