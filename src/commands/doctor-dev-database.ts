/** Checks the database of `npm start` for `wheelwright doctor`. Returns null if this database is missing, or if another one is configured. */
import { readProcessConfig } from "#lib/base/config.ts";
import { readAndCheckDatabase } from "#lib/doctor/examine-database.ts";
import type { FindingSection } from "#lib/doctor/finding.ts";
import { createReadWithTimeout, READ_TIMEOUT as READ_LIMIT } from "#lib/doctor/timed-read.ts";
import { migrations } from "../migrations.ts";
import { handleStopSignals } from "../stop-signals.ts";
import { findDevDatabase, resolveDatabase } from "./database.ts";

export async function examineDevDatabase(): Promise<FindingSection | null> {
  let directory: string | null = null;
  try {
    readProcessConfig("migrate");
  } catch (error) {
    directory = findDevDatabase(error);
  }
  if (directory === null) return null;
  const { url, close } = await resolveDatabase(), stop = handleStopSignals();
  try {
    const config = readProcessConfig("dev"), database = { ...config.database, source: url };
    return await readAndCheckDatabase(
      { ...config, database },
      migrations,
      createReadWithTimeout(stop.signal, READ_LIMIT),
      READ_LIMIT,
    );
  } finally {
    stop.dispose();
    await close();
  }
}
