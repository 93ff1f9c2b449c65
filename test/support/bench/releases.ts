/**
 * Provides two releases to run side by side: the last tagged release (`before`) and this checkout (`after`). Without a
 * tag, as in a shallow clone, `before` is this checkout and `after` is a copy with typical changes: a new version, new
 * columns, and a new plan for the longest operation.
 */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { migrations } from "#src/migrations.ts";

export interface ReleasePair {
  /** The path to the older release's main module. Null for this checkout. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether `after` is a changed copy of this checkout. If so, a test knows the changes. */
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

/** Returns the newest Git tag before the current commit; null if no such tag exists. */
async function lastTag(): Promise<string | null> {
  const git = async (...args: string[]) =>
    (await run("git", ["-C", ROOT, ...args]).catch(() => ({ stdout: "" }))).stdout.trim();
  const tag = await git("describe", "--tags", "--abbrev=0", "--match", "v*");
  const isThis = await git("rev-list", "-n", "1", tag || "HEAD") === await git("rev-parse", "HEAD");
  return tag === "" || isThis ? null : tag;
}

/** Migrations that exist only in `after`: they add columns to much used tables, after all real migrations. */
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
    if (!text.includes(from)) throw new Error(`${path} no longer contains ${from}; adapt this test`);
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
    "...UPKEEP_HANDLERS]",
    "...UPKEEP_HANDLERS, (app: App) => {\n" +
      "  const handler = provisionHandler(app);\n  return { ...handler, kind: { ...handler.kind, plan: 1 } };\n}]",
  );
}
