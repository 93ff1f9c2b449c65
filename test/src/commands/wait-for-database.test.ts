import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { waitForDatabase } from "#src/commands/wait-for-database.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("waitForDatabase");

test("fails with EX_UNAVAILABLE after the limit, and names the variables but no password", async () => {
  const error = await rejection(waitForDatabase("postgres://me:hush@127.0.0.1:1/none", SILENT_LOG, 0));
  assert.equal([(error as { status?: number }).status, error.message], [
    69,
    "The database cannot be reached (see DATABASE_URL or the POSTGRES_ variables): connection refused",
  ]);
});

test("fails for a read-only database", async () => {
  const db = await openTestDatabase();
  try {
    const error = await rejection(
      waitForDatabase(`${db.url}?options=-c%20default_transaction_read_only%3Don`, SILENT_LOG, 0),
    );
    assert.equal([(error as { status?: number }).status, error.message], [
      69,
      "The database cannot be used (see DATABASE_URL or the POSTGRES_ variables): " +
      "The database is read-only right now; try again",
    ]);
  } finally {
    await db.close();
  }
});

test("does not wait after a configuration error", async () => {
  const db = await openTestDatabase();
  try {
    const lines: string[] = [], log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
    const url = Object.assign(new URL(db.url), { pathname: "/nowhere" }).href;
    const error = await rejection(waitForDatabase(url, log));
    assert.equal([(error as { status?: number }).status, lines], [78, []]);
    await waitForDatabase(db.url, log, 0);
  } finally {
    await db.close();
  }
});

test("logs the database, the variables and the reason while waiting, but no password", async () => {
  const lines: string[] = [], log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  await rejection(waitForDatabase("postgres://me:hush@127.0.0.1:1,[::1]:2/none", log, 1500));
  const { message, msg = message, database, variables, reason } = JSON.parse(lines[0]!);
  assert.equal([msg, database, variables, reason], [
    "Waiting for the database",
    "me@127.0.0.1:1,[::1]:2/none",
    "DATABASE_URL or the POSTGRES_ variables",
    "connection refused",
  ]);
  assert.not.match(lines.join(), "hush");
});

test("rejects a database whose encoding is not UTF8", async () => {
  const db = await openTestDatabase(), name = `${new URL(db.url).pathname.slice(1)}_latin`;
  try {
    await db.sql(`create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`);
    const error = await rejection(
      waitForDatabase(Object.assign(new URL(db.url), { pathname: `/${name}` }).href, SILENT_LOG),
    );
    assert.is((error as { status?: number }).status, 78);
    assert.match(error.message, /^The database's encoding is LATIN1, .*--encoding=UTF8$/);
  } finally {
    await db.sql(`drop database if exists ${name}`);
    await db.close();
  }
});

test.run();
