/** Provides a database with data, a directory for backups, and the program as a process. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "uvu";
import { fill } from "#test/lib/drivers/dump/dump-scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { startProgram } from "#test/support/program.ts";

export interface BackupContext {
  db: TestDatabase;
  directory: string;
  /** The path of a new file in the directory. */
  file: string;
  run: (line: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Result>;
}

interface Result {
  readonly status: number | null;
  readonly text: string;
}

export const PASSPHRASE = "correct horse battery";

/** Opens the database and the directory before the suite, and closes them afterwards. */
export function withBackups(test: Test<BackupContext>): void {
  test.before(async (context) => {
    context.db = await openTestDatabase();
    await fill(context.db);
  });
  test.before.each(async (context) => {
    context.directory = await mkdtemp(join(tmpdir(), "wheelwright-backup-"));
    context.file = join(context.directory, "it.backup");
    context.run = async (line, env = { DATABASE_URL: context.db.url }) => {
      const program = startProgram(line, env), status = await program.ended;
      return { status, text: program.lines.join("\n") };
    };
  });
  test.after.each(({ directory }) => rm(directory, { recursive: true }));
  test.after(({ db }) => db.close());
}
