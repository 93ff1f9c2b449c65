/**
 * Builds the executable: embeds the bundled program in a copy of Node. The executable needs no other files.
 *
 *   npm run build                      writes dist/wheelwright and dist/wheelwright.sha256
 *   npm run build -- --commit SHA      sets the commit where .git is missing, as in the build of a container image
 *   npm run build -- --node PATH       embeds the Node at PATH; its version must match the Node that runs the build
 *   npm run build -- client            builds the client's package instead; likewise `release 0.2.0` and `sbom`
 *
 * The executable runs on the platform of the embedded Node. By default, that is the platform of the build machine.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleProgram } from "./build/bundle.ts";
import { readProgramRelease } from "./release.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const OTHER_SCRIPTS: Readonly<Record<string, string>> = {
  client: "src/build-client.ts",
  release: "src/make-release.ts",
  sbom: "src/sbom.ts",
};

async function main(line: string[]): Promise<void> {
  const script = OTHER_SCRIPTS[line[0] ?? ""];
  if (script) {
    const { status } = spawnSync(process.execPath, [join(ROOT, script), ...line.slice(1)], { stdio: "inherit" });
    process.exitCode = status ?? 1;
    return;
  }
  const { values } = parseArgs({ args: line, options: { commit: { type: "string" }, node: { type: "string" } } });
  const { version, commit } = readProgramRelease();
  const target = join(ROOT, "dist");
  await mkdir(target, { recursive: true });
  const directory = await mkdtemp(join(target, "build-")); // on the same file system, so that rename is atomic
  try {
    const { modules } = await bundleProgram(ROOT, { version, commit: values.commit || commit });
    for (const [name, text] of modules) await writeFile(join(directory, name), text);
    await buildExecutable(directory, [...modules.keys()], values.node ?? process.execPath);
    const sum = await sha256(join(directory, "wheelwright"));
    await rename(join(directory, "wheelwright"), join(target, "wheelwright"));
    await writeFile(join(target, "wheelwright.sha256"), `${sum}  wheelwright\n`);
    process.stdout.write(`dist/wheelwright ${version}, SHA-256 ${sum}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * The module that the executable runs first. Node lets this module import only built-in modules. Modules loaded with
 * `require` have no such limit, so hooks load the other modules from the executable's assets.
 */
const FIRST_MODULE = `import { createRequire, registerHooks } from "node:module";
import { getAsset } from "node:sea";
const base = "file:///wheelwright/", isBundled = ({ parentURL }) => parentURL?.startsWith(base);
registerHooks({
  resolve: (name, from, next) =>
    isBundled(from) && name.startsWith("./") ? { url: new URL(name, base).href, shortCircuit: true } : next(name, from),
  load: (url, about, next) =>
    url.startsWith(base)
      ? { format: "module", source: getAsset(url.slice(base.length), "utf8"), shortCircuit: true }
      : next(url, about),
});
createRequire(base + "first.mjs")("./start.mjs");
`;

/** Writes the executable `wheelwright` to the given directory. `node` is the path to the Node binary to embed. */
async function buildExecutable(directory: string, modules: readonly string[], node: string): Promise<void> {
  await writeFile(join(directory, "first.mjs"), FIRST_MODULE);
  await writeFile(join(directory, "start.mjs"), 'import("./main.mjs");\n');
  const settings = {
    main: "first.mjs",
    mainFormat: "module",
    assets: Object.fromEntries([...modules, "start.mjs"].map((name) => [name, name])),
    executable: node,
    output: "wheelwright",
    disableExperimentalSEAWarning: true,
    useCodeCache: false, // the code cache differs in each build and saves only 40 ms
  };
  await writeFile(join(directory, "sea.json"), JSON.stringify(settings));
  const child = spawn(process.execPath, ["--build-sea", "sea.json"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (text) => log += text);
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (status !== 0) {
    throw new Error(
      `Node ${process.versions.node} cannot build the executable. Use Node 26, which npm ci installs on Linux\n${log}`,
    );
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
