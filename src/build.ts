/**
 * Makes the executable, which needs nothing beside it: the bundled program, sealed into the Node that runs this.
 *
 *   npm run build                      dist/wheelwright and dist/wheelwright.sha256
 *   npm run build -- --commit SHA      where .git is not at hand, as in the build of a container image
 *   npm run build -- --node PATH       for the platform of that Node, which has to be of the version that runs this
 *
 * It runs on the platform that it is built on, or on that of the Node that it is given.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./build/bundle.ts";
import { release } from "./release.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

async function main(line: string[]): Promise<void> {
  const { values } = parseArgs({ args: line, options: { commit: { type: "string" }, node: { type: "string" } } });
  const { version, commit } = release();
  const target = join(ROOT, "dist");
  await mkdir(target, { recursive: true });
  const directory = await mkdtemp(join(target, "build-")); // beside the target, so that it is moved there in one go
  try {
    const { modules } = await bundle(ROOT, { version, commit: values.commit || commit });
    for (const [name, text] of modules) await writeFile(join(directory, name), text);
    await seal(directory, [...modules.keys()], values.node ?? process.execPath);
    const sum = await sha256(join(directory, "wheelwright"));
    await rename(join(directory, "wheelwright"), join(target, "wheelwright"));
    await writeFile(join(target, "wheelwright.sha256"), `${sum}  wheelwright\n`);
    process.stdout.write(`dist/wheelwright ${version}, SHA-256 ${sum}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * What the executable runs first. A sealed module can import the runtime's own modules alone; one that is required can
 * import others, and those that are sealed beside it are handed to it here.
 */
const FIRST = `import { createRequire, registerHooks } from "node:module";
import { getAsset } from "node:sea";
const place = "file:///wheelwright/", isOurs = ({ parentURL }) => parentURL?.startsWith(place);
registerHooks({
  resolve: (name, from, next) =>
    isOurs(from) && name.startsWith("./") ? { url: new URL(name, place).href, shortCircuit: true } : next(name, from),
  load: (url, about, next) =>
    url.startsWith(place)
      ? { format: "module", source: getAsset(url.slice(place.length), "utf8"), shortCircuit: true }
      : next(url, about),
});
createRequire(place + "first.mjs")("./start.mjs");
`;

/** Makes `wheelwright` of these modules and of this Node. */
async function seal(directory: string, modules: readonly string[], node: string): Promise<void> {
  await writeFile(join(directory, "first.mjs"), FIRST);
  await writeFile(join(directory, "start.mjs"), 'import("./main.mjs");\n');
  const settings = {
    main: "first.mjs",
    mainFormat: "module",
    assets: Object.fromEntries([...modules, "start.mjs"].map((name) => [name, name])),
    executable: node,
    output: "wheelwright",
    disableExperimentalSEAWarning: true,
    useCodeCache: false, // it differs from one build to the next, and gains 40 ms
  };
  await writeFile(join(directory, "sea.json"), JSON.stringify(settings));
  const child = spawn(process.execPath, ["--build-sea", "sea.json"], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const output of [child.stdout, child.stderr]) output.setEncoding("utf8").on("data", (text) => said += text);
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (status !== 0) {
    throw new Error(`Node ${process.versions.node} cannot seal it; Node 26 can, which npm brings on Linux\n${said}`);
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
