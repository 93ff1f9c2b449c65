import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  appendEndLine,
  BackupDamaged,
  type BackupPart,
  formatManifestLine,
  readBackupParts,
} from "#lib/drivers/dump/script.ts";
import { rejection } from "#test/support/until.ts";

const MANIFEST = { release: "0.1.0", takenAt: "2030-05-06T07:08:09.123Z", migrations: ["0001_create_clock"] };
/** COPY escapes backslashes in rows, so no row looks like the end. */
const ROWS = ["1\t\\N", "2\t\\\\.", "\\\\.\t3", "4\tCOPY users (id) FROM stdin;", "5\té\\n"].map((row) => `${row}\n`)
  .join("");
const TEXT =
  `${formatManifestLine(MANIFEST)}COPY one (a, b) FROM stdin;\n${ROWS}\\.\nCOPY none (a) FROM stdin;\n\\.\n` +
  "SELECT setval('job_fences', 17);\n";

const test = suite("readBackupParts");

async function* cut(text: string | Buffer, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text as string);
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

const backupText = () => textOf(appendEndLine(cut(TEXT, 1000), () => {}));

async function partsOf(text: Buffer, length: number): Promise<BackupPart[]> {
  const found: BackupPart[] = [];
  for await (const part of readBackupParts(cut(text, length), () => {})) found.push(part);
  return found;
}

test("reads a written backup, whatever the chunks", async () => {
  const text = await backupText();
  for (let length = 1; length < 80; length++) {
    const parts = await partsOf(text, length), rows = parts.filter((part) => part.kind === "rows");
    assert.equal(parts.filter(({ kind }) => kind !== "rows"), [
      { kind: "manifest", manifest: MANIFEST },
      { kind: "table", table: "one", columns: "a, b" },
      { kind: "table", table: "none", columns: "a" },
      { kind: "sequence", sequence: "job_fences", value: 17n },
      { kind: "end", rows: { one: 5, none: 0 }, sha256: (parts.at(-1) as { sha256?: string }).sha256 },
    ]);
    assert.is(Buffer.concat(rows.map(({ bytes }) => bytes)).toString(), ROWS);
  }
});

test("counts the rows of each table", async () => {
  const counts: [string, number][] = [];
  const text = await textOf(appendEndLine(cut(TEXT, 20), (...more) => counts.push(more)));
  assert.equal([...new Map(counts)], [["one", 5], ["none", 0]]);
  counts.length = 0;
  for await (const _ of readBackupParts(cut(text, 20), (...more) => counts.push(more)));
  assert.equal([...new Map(counts)], [["one", 5], ["none", 0]]);
});

test("rejects a truncated backup", async () => {
  const text = await backupText();
  for (let length = 0; length < text.length; length++) {
    assert.instance(await rejection(partsOf(text.subarray(0, length), 50)), BackupDamaged, String(length));
  }
});

test("rejects a backup with any changed byte", async () => {
  const text = await backupText();
  for (let at = 0; at < text.length; at++) {
    const changed = Buffer.from(text);
    changed[at]! ^= 1 << (at % 7);
    const outcome = await partsOf(changed, 50).then(() => null, (error) => error);
    assert.instance(outcome, BackupDamaged, `byte ${at}: ${JSON.stringify(String.fromCharCode(changed[at]!))}`);
  }
});

test("rejects data after the end, and files that are not backups", async () => {
  assert.instance(await rejection(partsOf(Buffer.concat([await backupText(), Buffer.from("x\n")]), 50)), BackupDamaged);
  const failure = await rejection(partsOf(Buffer.from("-- PostgreSQL database dump\n"), 50));
  assert.is(failure.message, "The file was not written by wheelwright backup");
});

test.run();
