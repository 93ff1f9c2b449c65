/** Identifies the running program by its API version, package version and commit. */
import { readFileSync } from "node:fs";
import manifest from "../package.json" with { type: "json" };
import type { ProgramRelease } from "#lib/app.ts";

/** Data that the build embeds in the executable. Missing if the program runs from a source checkout. */
export interface BuildInfo {
  readonly version: string;
  readonly commit: string;
  /** The licences of all software in the executable, as one text. */
  readonly licenses: string;
}

/** Defined only by the first line of the bundle, which src/build/bundle.ts writes. */
declare const WHEELWRIGHT_BUILT: BuildInfo | undefined;

/** Returns the data that the build embedded, or null if the program runs from its source files. */
export function findBuildInfo(): BuildInfo | null {
  return typeof WHEELWRIGHT_BUILT === "undefined" ? null : WHEELWRIGHT_BUILT;
}

export function readProgramRelease(): ProgramRelease {
  const { version, commit } = findBuildInfo() ??
    { version: manifest.version, commit: readCheckoutCommit() ?? "unknown" };
  return { api: "v0", version, commit };
}

/** Returns the source checkout's commit. Reads the files in .git, because git may not be installed. */
function readCheckoutCommit(): string | null {
  const head = readGitFile("HEAD");
  if (!head?.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  const packed = readGitFile("packed-refs")?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return readGitFile(ref) ?? packed?.split(" ")[0] ?? null;
}

/** Reads a file from .git. Returns null if the file is missing, as in an unpacked archive. */
function readGitFile(file: string): string | null {
  try {
    return readFileSync(new URL(`../.git/${file}`, import.meta.url), "utf8").trim();
  } catch {
    return null;
  }
}
