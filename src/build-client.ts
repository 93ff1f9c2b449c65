/**
 * Builds the npm package `@wheelwright/client` in dist/client: JavaScript, type declarations, and docs/client.md as its
 * README. The package has no dependencies.
 *
 *   npm run build -- client
 */
import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import about from "../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const TARGET = join(ROOT, "dist/client"), LIBRARY = join(TARGET, "lib");

const DESCRIPTION = {
  name: "@wheelwright/client",
  version: about.version,
  description: "The typed client of Wheelwright's API, for Node, Deno and browsers.",
  license: about.license,
  type: "module",
  engines: { node: ">=20.3" }, // the first Node version with AbortSignal.any
  sideEffects: false,
  exports: { ".": { types: "./lib/client.d.ts", default: "./lib/client.js" } },
  files: ["lib/*.js", "lib/*.d.ts"],
};

const COMPILER = {
  extends: "../tsconfig.json",
  compilerOptions: {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: "es2022",
    types: [],
    rootDir: "../lib/client",
    outDir: LIBRARY,
  },
  files: ["../lib/client/client.ts"],
  include: [],
};

async function main(): Promise<void> {
  await rm(TARGET, { recursive: true, force: true });
  await mkdir(LIBRARY, { recursive: true });
  compile(await writeSettings());
  await rm(join(ROOT, "dist/client.tsconfig.json"));
  for (const name of await readdir(LIBRARY)) if (name.endsWith(".d.ts")) await rewriteImports(join(LIBRARY, name));
  await writeFile(join(TARGET, "package.json"), `${JSON.stringify(DESCRIPTION, null, 2)}\n`);
  await cp(join(ROOT, "docs/client.md"), join(TARGET, "README.md"));
  await cp(join(ROOT, "LICENSE"), join(TARGET, "LICENSE"));
  process.stdout.write(
    `Built ${DESCRIPTION.name} ${DESCRIPTION.version} in dist/client. To create a tarball: npm pack ./dist/client\n`,
  );
}

async function writeSettings(): Promise<string> {
  const file = join(ROOT, "dist/client.tsconfig.json");
  await writeFile(file, JSON.stringify(COMPILER));
  return file;
}

function compile(settings: string): void {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [compiler, "--project", settings], { stdio: "inherit" });
  if (status !== 0) throw new Error("The client does not compile. If TypeScript is missing, run npm ci");
}

/** Changes imports such as `./call.ts` to `./call.js`, because older TypeScript compilers cannot resolve `.ts`. */
async function rewriteImports(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
