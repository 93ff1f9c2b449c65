/** Which program this is: the API's version, the package's own, and the commit that it was made from. */
import { readFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import type { ProgramRelease } from "#lib/app.ts";

/** What the build puts into the executable; in the source checkout there is nothing of the kind. */
export interface Built {
  readonly version: string;
  readonly commit: string;
  /** The licences of everything that the executable is made of. */
  readonly licenses: string;
}

/** Set by the first line of the bundle alone, which src/build/bundle.ts writes. */
declare const WHEELWRIGHT_BUILT: Built | undefined;

/** Null where the program runs from its sources. */
export function built(): Built | null {
  return typeof WHEELWRIGHT_BUILT === "undefined" ? null : WHEELWRIGHT_BUILT;
}

export function release(): ProgramRelease {
  const { version, commit } = built() ?? { version: manifest.version, commit: checkedOutCommit() ?? "unknown" };
  return { api: "v0", version, commit };
}

/** The commit of the source checkout, read from git's own files: git itself need not be there. */
function checkedOutCommit(): string | null {
  const head = read("HEAD");
  if (!head?.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  const packed = read("packed-refs")?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return read(ref) ?? packed?.split(" ")[0] ?? null;
}

/** Null where there is no such file: an unpacked archive has no .git. */
function read(file: string): string | null {
  try {
    return readFileSync(new URL(`../.git/${file}`, import.meta.url), "utf8").trim();
  } catch {
    return null;
  }
}
