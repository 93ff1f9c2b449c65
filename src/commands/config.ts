/** `wheelwright config`: every variable, what it means, what holds without it, and whether it is set. Never a value. */
import * as v from "valibot";
import { readNamesOfProcess } from "#lib/base/config.ts";
import { Variables } from "#lib/base/variables.ts";
import { MEANINGS } from "./meanings.ts";

export function config(): Promise<void> {
  const set = readNamesOfProcess();
  const names = Object.keys(Variables.entries) as (keyof Variables)[];
  const width = Math.max(...names.map((name) => name.length));
  const rows = names.map((name) => {
    const [meaning, otherwise = v.getDefault(Variables.entries[name])] = MEANINGS[name];
    return `  ${name.padEnd(width)}  ${(set.get(name) ?? "-").padEnd(4)}  ${meaning}${
      otherwise ? ` (${otherwise})` : ""
    }\n`;
  });
  process.stdout.write(
    "\nEnvironment variables: whether it is set, directly or by a file; what it means (what holds without it).\n" +
      `Each can come from a file by NAME_FILE.\n\n${rows.join("")}\n`,
  );
  return Promise.resolve();
}
