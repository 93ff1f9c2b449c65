/**
 * Writes and reads a database backup as text: a manifest, each table's rows in COPY format, and the row counts.
 *
 *     -- wheelwright backup 1 {"release":…,"takenAt":…,"migrations":[…]}
 *     COPY users (id, email, …) FROM stdin;
 *     …
 *     \.
 *     SELECT setval('job_fences', …);
 *     -- end {"rows":{"users":…},"sha256":"…"}
 *
 * psql can load these rows without Wheelwright. The SHA-256 hash covers everything before the last line.
 */
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { ByteChunk } from "#lib/drivers/db/copier.ts";

const Name = v.pipe(v.string(), v.regex(/^[a-z0-9_]+$/));
const BackupManifest = v.object({
  release: v.pipe(v.string(), v.regex(/^[\w.+-]{1,100}$/)),
  takenAt: v.pipe(v.string(), v.isoTimestamp()),
  /** The names of all applied migrations, in order. */
  migrations: v.pipe(v.array(Name), v.minLength(1)),
});
export type BackupManifest = v.InferOutput<typeof BackupManifest>;

const End = v.object({ rows: v.record(Name, v.number()), sha256: v.string() });

interface Rows {
  readonly bytes: Buffer;
  readonly count: number;
}

export type BackupPart =
  | { readonly kind: "manifest"; readonly manifest: BackupManifest }
  | { readonly kind: "table"; readonly table: string; readonly columns: string }
  | { readonly kind: "rows" } & Rows
  | { readonly kind: "sequence"; readonly sequence: string; readonly value: bigint }
  | { readonly kind: "end"; readonly rows: Readonly<Record<string, number>> };

/** A listener that gets a table's name and the number of rows read so far. */
export type RowProgressListener = (table: string, rows: number) => void;

/** The error for a file that is not a backup or is damaged. */
export class BackupDamaged extends Error {
  override readonly name = "BackupDamaged";
}

/** Matches the first line of a table's rows. pg_dump writes the schema before the table's name. */
const COPY_LINE = /^COPY (?:"?\w+"?\.)?(\w+) \(("?\w+"?(?:, "?\w+"?)*)\) FROM stdin;$/;
const SETVAL_LINE = /^SELECT setval\('(\w+)', (\d{1,19})\);$/;
const NEWLINE = 10, END_OF_ROWS = Buffer.from("\\.\n");
const MAGIC = "-- wheelwright backup 1 ";

export function formatManifestLine(manifest: BackupManifest): string {
  return `${MAGIC}${JSON.stringify(manifest)}\n`;
}

export function formatCopyLine(table: string, columns: string): string {
  return `COPY ${table} (${columns}) FROM stdin;\n`;
}

/** Returns the table and columns from a COPY line, or null for any other line. */
export function parseCopyLine(line: string): { readonly table: string; readonly columns: string } | null {
  const [, table, columns] = COPY_LINE.exec(line) ?? [];
  return table ? { table, columns: columns! } : null;
}

export const COPY_END = "\\.";

export function formatSequenceLine(sequence: string, value: string): string {
  return `SELECT setval('${sequence}', ${value});\n`;
}

export async function* appendEndLine(
  text: AsyncIterable<ByteChunk>,
  onRows: RowProgressListener,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256"), rows: Record<string, number> = {};
  let table = "";
  for await (const piece of splitCopyText(text)) {
    if (typeof piece !== "string") onRows(table, rows[table]! += piece.count);
    else if ((table = parseCopyLine(piece)?.table ?? "") !== "") onRows(table, rows[table] = 0);
    const bytes = typeof piece === "string" ? Buffer.from(`${piece}\n`) : piece.bytes;
    hash.update(bytes);
    yield bytes;
  }
  yield Buffer.from(`-- end ${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`);
}

/** Reads a backup part by part. Throws BackupDamaged if it is damaged, possibly only after the last rows. */
export async function* readBackupParts(
  text: AsyncIterable<ByteChunk>,
  onRows: RowProgressListener,
): AsyncGenerator<BackupPart> {
  const hash = createHash("sha256"), rows: Record<string, number> = {};
  let table = "", started = false, ended = false;
  for await (const piece of splitCopyText(text)) {
    if (ended) throw new BackupDamaged("The backup has data after its end");
    if (typeof piece !== "string") {
      onRows(table, rows[table]! += piece.count);
      hash.update(piece.bytes);
      yield { kind: "rows", ...piece };
      continue;
    }
    const part = partOf(piece, started);
    started = true;
    if (part?.kind === "end") {
      if (part.sha256 !== hash.digest("hex")) throw new BackupDamaged("The checksum does not match");
      ended = true;
      if (JSON.stringify(part.rows) !== JSON.stringify(rows)) throw new BackupDamaged("The backup lacks some rows");
    } else hash.update(`${piece}\n`);
    if (part?.kind === "table") onRows(table = part.table, rows[table] = 0);
    if (part) yield part;
  }
  if (!ended) throw new BackupDamaged(started ? "The backup is incomplete" : "The file is empty");
}

function partOf(line: string, started: boolean): BackupPart & { readonly sha256?: string } | null {
  if (line === COPY_END) return null;
  if (!started) return { kind: "manifest", manifest: parse(BackupManifest, line, MAGIC) };
  const table = parseCopyLine(line);
  if (table) return { kind: "table", ...table };
  const [, sequence, value] = SETVAL_LINE.exec(line) ?? [];
  if (sequence) return { kind: "sequence", sequence, value: BigInt(value!) };
  return { kind: "end", ...parse(End, line, "-- end ") };
}

function parse<S extends v.GenericSchema>(schema: S, line: string, start: string): v.InferOutput<S> {
  try {
    if (line.startsWith(start)) return v.parse(schema, JSON.parse(line.slice(start.length)));
  } catch {
    // Ignores the parse error, because text that is not JSON causes the error below.
  }
  throw new BackupDamaged(
    start === MAGIC ? "The file was not written by wheelwright backup" : "The backup has an invalid line",
  );
}

/** Yields each line outside COPY as a string, and rows within COPY as bytes, several rows at a time. */
export async function* splitCopyText(text: AsyncIterable<ByteChunk>): AsyncGenerator<string | Rows> {
  let buffered: Buffer = Buffer.alloc(0), within = false;
  for await (const bytes of text) {
    buffered = Buffer.concat([buffered, bytes]);
    for (;;) {
      if (within && buffered.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) within = false;
      const end = within ? endOfRows(buffered) : buffered.indexOf(NEWLINE) + 1;
      if (end === 0) break;
      const lines = buffered.subarray(0, end);
      buffered = buffered.subarray(end);
      if (within) yield { bytes: lines, count: countLines(lines) };
      else {
        const line = lines.toString("utf8", 0, lines.length - 1);
        within = COPY_LINE.test(line);
        yield line;
      }
    }
  }
  if (buffered.length > 0) throw new BackupDamaged("The backup ends in the middle of a line");
}

/** Returns the position where the table's rows end in the buffer, or else where the last complete row ends. */
function endOfRows(buffer: Buffer): number {
  for (let at = buffer.indexOf(END_OF_ROWS); at >= 0; at = buffer.indexOf(END_OF_ROWS, at + 1)) {
    if (buffer[at - 1] === NEWLINE) return at;
  }
  return buffer.lastIndexOf(NEWLINE) + 1;
}

/** Counts the rows. In COPY format, each row is one line. */
function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
