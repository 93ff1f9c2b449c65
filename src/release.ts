/** Identifies the running program: the API's version, the package's version, and the commit. */
import { readFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import type { ProgramRelease } from "#lib/app.ts";

/** Data that the build embeds in the executable. A source checkout does not have it. */
export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  /** The licences of everything in the executable. */
  readonly licenses: string;
}

/** Set only by the first line of the bundle, which src/build/bundle.ts writes. */
declare const WHEELWRIGHT_BUILT: BuildInfo | undefined;

/** Returns null if the program runs from its sources. */
export function findBuildInfo(): BuildInfo | null {
  return typeof WHEELWRIGHT_BUILT === "undefined" ? null : WHEELWRIGHT_BUILT;
}

export function release(): ProgramRelease {
  const { version, commit } = findBuildInfo() ??
    { version: manifest.version, commit: readCheckoutCommit() ?? "unknown" };
  return { api: "v0", version, commit };
}

/** Returns the commit of the source checkout. Reads git's files, because git may not be installed. */
function readCheckoutCommit(): string | null {
  const head = readGitFile("HEAD");
  if (!head?.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  const packed = readGitFile("packed-refs")?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return readGitFile(ref) ?? packed?.split(" ")[0] ?? null;
}

/** Returns null if the file is missing: an unpacked archive has no .git. */
function readGitFile(file: string): string | null {
  try {
    return readFileSync(new URL(`../.git/${file}`, import.meta.url), "utf8").trim();
  } catch {
    return null;
  }
}
