/** Simulates the script verify-files.php, which compares the table mdl_files with the files on the volume. */
import { findPasswordError } from "#lib/dev/simulator/programs/moodle/database.ts";
import { getSimulatedSite } from "#lib/dev/simulator/programs/moodle/site.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

export function runFileVerification({ world, pod, env }: ProgramContext): ProgramRun {
  const { database, files } = getSimulatedSite(world, pod.metadata.namespace!, pod);
  const refusal = database ? findPasswordError(database, env.DB_PASS) : "could not connect to server";
  if (!database || refusal) return { lines: [`PHP Warning:  pg_connect(): Unable to connect: ${refusal}`], exit: 1 };
  const { uploads = {}, config = {} } = database,
    existing = files.filedir === undefined ? uploads : files.filedir ?? {};
  const named = Object.entries(uploads);
  const missing = named.filter(([hash]) => existing[hash] === undefined);
  const otherSize = named.filter(([hash, size]) => existing[hash] !== undefined && existing[hash] !== size);
  const code = files.code === undefined
    ? []
    : [`codeversion|${files.code === config["release"] ? config["version"] : 0}`, `coderelease|${files.code}`];
  const facts = {
    files: named.length,
    bytes: named.reduce((sum, [, size]) => sum + size, 0),
    hashed: named.length - missing.length - otherSize.length,
    missing: missing.length,
    othersize: otherSize.length,
    othercontent: 0,
    newer: 0,
    references: 0,
    filedir: files.filedir === null ? 0 : 1,
  };
  const lines = Object.entries(facts).map(([name, value]) => `${name}|${value}`);
  const examples = [...missing, ...otherSize].slice(0, 3).map(([hash]) => `example|${hash}`);
  return { lines: [...code, ...lines, ...examples, "verified"], exit: 0 };
}
