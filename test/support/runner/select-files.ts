/** Selects test files: by name, or by the files that differ from the branch `main`. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";
import { readImportGraph } from "#test/support/runner/import-graph.ts";

/** Files that every test depends on. */
const FOR_ALL =
  /^(?:sql\/.*\.sql|package(?:-lock)?\.json|deno\.json|test\/run\.ts|test\/support\/runner\/(?!.*\.test\.).*)$/;
/** Tests that read the sources or documents as text. */
const READERS: readonly [changed: RegExp, test: RegExp][] = [
  [/\.ts$/, /^(?:rules|language)\.test\.ts$/],
  [/\.md$/, /^(?:docs\/|readme\.|language\.)/],
];

/** Returns the test files whose path contains one of these texts, or all. The paths are relative to `test`. */
export async function findTestFiles(root: string, filters: readonly string[]): Promise<string[]> {
  const files = (await readdir(join(root, "test"), { recursive: true })).map((file) => file.replaceAll(sep, "/"));
  const tests = files.filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules/")).sort();
  return filters.length === 0 ? tests : tests.filter((file) => filters.some((part) => `test/${file}`.includes(part)));
}

/** Returns those of the test files that depend on the changed files, the nearest first. */
export async function selectDependentTests(
  root: string,
  tests: readonly string[],
  changed: readonly string[],
): Promise<string[]> {
  if (changed.some((file) => FOR_ALL.test(file))) return [...tests];
  const distances = (await readImportGraph(root)).findDependents(changed);
  const reads = (test: string) =>
    READERS.some(([files, readers]) => readers.test(test) && changed.some((file) => files.test(file)));
  const distanceOf = (test: string) => distances.get(`test/${test}`) ?? (reads(test) ? Infinity : null);
  return tests.filter((test) => distanceOf(test) !== null).sort((a, b) => {
    const [first, second] = [distanceOf(a)!, distanceOf(b)!];
    return first === second ? 0 : first - second;
  });
}

/** Returns the files that differ from the branch point: from `origin/main` or `main`, or on `main` from the last commit.
 * Includes deleted and untracked files. */
export async function listChangedFiles(root: string): Promise<string[]> {
  const git = async (...line: string[]) =>
    (await promisify(execFile)("git", line, { cwd: root, maxBuffer: 2 ** 26 })).stdout.trim();
  const branch = await git("rev-parse", "--abbrev-ref", "HEAD");
  const forkOf = (name: string) => git("merge-base", "HEAD", name).catch(() => null);
  const base = branch === "main" ? "HEAD" : await forkOf("origin/main") ?? await forkOf("main") ?? "HEAD";
  const [differing, untracked] = await Promise.all([
    git("diff", "--name-only", "--no-renames", "-z", base),
    git("ls-files", "--others", "--exclude-standard", "-z"),
  ]);
  return [...new Set(`${differing}\0${untracked}`.split("\0"))].filter((file) => file !== "");
}
