/**
 * Writes a journal with a numbered line for each change since the state file was last saved. Each line is written
 * before the client receives a response, so that no acknowledged change is lost if the process is killed. The state
 * file contains the number of the last journal line that it includes.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Json } from "#lib/dev/simulator/store/object.ts";

export interface StateJournal {
  /** Returns the number of the last journal line. */
  last(): number;
  /** Writes a journal line. If it is written only partly, this and all later calls throw until `startNext` succeeds. */
  write(entry: Json): void;
  /** Starts a new journal file. Returns a function that deletes the older files. If it fails, nothing has changed. */
  startNext(): () => Promise<void>;
  close(): void;
}

interface Line {
  readonly number: number;
  readonly entry: Json;
}

/** Opens a new journal file. `last` is the number of the last line in the existing journal files. */
export async function openStateJournal(path: string, last: number): Promise<StateJournal> {
  let old = await journalsOf(path);
  let page = Math.max(0, ...old.map(pageOf));
  const begin = () => openSync(`${path}.${page + 1}`, "a", 0o600);
  let file = begin();
  page++;
  let isIncomplete = false;
  return {
    last: () => last,
    write(entry) {
      const line = Buffer.from(JSON.stringify({ number: ++last, entry }) + "\n");
      if (isIncomplete) throw new Error("The last journal line may be incomplete"); // allowed only for the last line
      isIncomplete = true;
      if (writeSync(file, line) < line.length) throw Object.assign(new Error("Cut off"), { code: "ENOSPC" });
      isIncomplete = false;
    },
    startNext() {
      const next = begin();
      old.push(`${path}.${page++}`);
      closeSync(file);
      file = next;
      isIncomplete = false;
      const olderJournals = [...old];
      return async () => {
        for (const each of olderJournals) await rm(each, { force: true });
        old = old.filter((each) => !olderJournals.includes(each));
      };
    },
    close: () => closeSync(file),
  };
}

/** Returns the lines with a number above `after` from all journal files, in order. Ignores an incomplete last line. */
export async function readStateJournals(path: string, after: number): Promise<Line[]> {
  const lines: Line[] = [];
  for (const file of await journalsOf(path)) {
    const text = await readFile(file, "utf8");
    for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) if (line) lines.push(JSON.parse(line));
  }
  return lines.filter(({ number }) => number > after);
}

async function journalsOf(path: string): Promise<string[]> {
  const name = `${basename(path)}.`;
  const files = (await readdir(dirname(path))).filter((file) =>
    file.startsWith(name) && /^\d+$/.test(file.slice(name.length))
  );
  return files.map((file) => join(dirname(path), file)).sort((a, b) => pageOf(a) - pageOf(b));
}

function pageOf(file: string): number {
  return Number(file.slice(file.lastIndexOf(".") + 1));
}
