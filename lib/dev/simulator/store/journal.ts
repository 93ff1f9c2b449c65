/**
 * The journal beside the state's file: what has changed since that was written, line by line, written before anybody who
 * asked for the change is answered. So a killed process loses nothing that it has told anybody.
 *
 * A new journal is begun whenever the state is about to be written whole, and the older ones go once that is done. Every
 * line has a number, and the state says up to which number it holds: a line is never taken twice.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Json } from "#lib/dev/simulator/store/object.ts";

export interface Journal {
  /** The number of the last line. */
  last(): number;
  /** Throws when the line cannot be written whole; then so does every other until the journal is turned. */
  write(entry: Json): void;
  /** Begins a new journal, and returns what removes the older ones. Changes nothing when that fails. */
  turn(): () => Promise<void>;
  close(): void;
}

interface Line {
  readonly number: number;
  readonly entry: Json;
}

/** Opens a new journal behind those that are there. `last` is the number of the last line that anybody has written. */
export async function openJournal(path: string, last: number): Promise<Journal> {
  let old = await journalsOf(path);
  let page = Math.max(0, ...old.map(pageOf));
  const begin = () => openSync(`${path}.${page + 1}`, "a", 0o600);
  let file = begin();
  page++;
  let torn = false;
  return {
    last: () => last,
    write(entry) {
      const line = Buffer.from(JSON.stringify({ number: ++last, entry }) + "\n");
      if (torn) throw new Error("The line before this one may be cut off"); // and is read only where it is the last
      torn = true;
      if (writeSync(file, line) < line.length) throw Object.assign(new Error("Cut off"), { code: "ENOSPC" });
      torn = false;
    },
    turn() {
      const next = begin();
      old.push(`${path}.${page++}`);
      closeSync(file);
      file = next;
      torn = false;
      const gone = [...old];
      return async () => {
        for (const each of gone) await rm(each, { force: true });
        old = old.filter((each) => !gone.includes(each));
      };
    },
    close: () => closeSync(file),
  };
}

/** The lines of all journals after this number, in order. A last line that was cut off in the middle was never said. */
export async function readJournals(path: string, after: number): Promise<Line[]> {
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
