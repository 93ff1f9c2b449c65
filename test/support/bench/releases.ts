/**
 * Two releases to run side by side. `before` is the last one that was tagged, `after` is this checkout. Where no tag is, as
 * in a shallow clone or before the first release, `before` is this checkout, and `after` a copy of it that has what a next
 * release may bring: a version, columns in the tables that are used most, and a new plan of the operation that takes longest.
 */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { migrations } from "#src/migrations.ts";

export interface ReleasePair {
  /** The main module of each; null for that of this checkout. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether `after` is made up, and what it brings is therefore known. */
  readonly planted: boolean;
  close(): Promise<void>;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TREE = ["src", "lib", "routes", "sql", "package.json", "deno.json", "tsconfig.json"];
const run = promisify(execFile);

export async function openReleasePair(): Promise<ReleasePair> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-release-"));
  const close = () => rm(directory, { recursive: true, force: true });
  try {
    await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
    const tag = await lastTag(), main = join(directory, "src/main.ts");
    if (tag === null) {
      for (const name of TREE) await cp(join(ROOT, name), join(directory, name), { recursive: true });
      await plant(directory);
      return { before: null, after: main, planted: true, close };
    }
    await run("git", ["-C", ROOT, "archive", "--output", join(directory, "tree.tar"), tag]);
    await run("tar", ["-xf", join(directory, "tree.tar"), "-C", directory]);
    return { before: main, after: null, planted: false, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The newest release before what is checked out, or null. */
async function lastTag(): Promise<string | null> {
  const git = async (...args: string[]) =>
    (await run("git", ["-C", ROOT, ...args]).catch(() => ({ stdout: "" }))).stdout.trim();
  const tag = await git("describe", "--tags", "--abbrev=0", "--match", "v*");
  const isThis = await git("rev-list", "-n", "1", tag || "HEAD") === await git("rev-parse", "HEAD");
  return tag === "" || isThis ? null : tag;
}

/** Written on every job, spoke and hub; behind whatever migration there will be. */
const LATER: readonly (readonly [string, string])[] = [
  [
    "9998_note_colour",
    "alter table jobs add column colour text;\nalter table spokes add column colour text default 'blue';",
  ],
  [
    "9999_index_colours",
    "-- concurrently\ncreate index concurrently if not exists spokes_by_colour on spokes (colour);",
  ],
];

async function plant(directory: string): Promise<void> {
  const change = async (path: string, from: string, to: string) => {
    const file = join(directory, path), text = await readFile(file, "utf8");
    if (!text.includes(from)) throw new Error(`${path} has no ${from} any more: plant the next release in another way`);
    await writeFile(file, text.replace(from, () => to));
  };
  const list = JSON.stringify([...migrations, ...LATER]);
  await writeFile(
    join(directory, "src/migrations.ts"),
    `import type { Migration } from "#lib/drivers/db/compare-schema.ts";\nexport const migrations: readonly Migration[] = ${list};\n`,
  );
  await change("package.json", `"version": "`, `"version": "99.`);
  await change("lib/operations/provision.ts", "version: 1,", "version: 2,");
  await change(
    "lib/operations/table.ts",
    "Object.values(OPERATIONS).map(({ kind }) => kind)",
    "Object.values(OPERATIONS).map(({ kind }) => kind).concat({ ...OPERATIONS.provision.kind, plan: 1 })",
  );
  await change(
    "lib/workers/handlers.ts",
    "...UPKEEP]",
    "...UPKEEP, (app: App) => {\n" +
      "  const made = provision(app);\n  return { ...made, kind: { ...made.kind, plan: 1 } };\n}]",
  );
}
