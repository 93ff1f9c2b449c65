/** Collects the licences that the executable must include: Wheelwright's, those of its packages, and Node's. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const NAMES = /^(?:licen[sc]e|copying|notice)(?:$|[.-])/i;

/** Returns all licences as one text. `packages` are directories relative to `root`. */
export async function collectLicenses(root: string, packages: readonly string[]): Promise<string> {
  const parts = [part("Wheelwright", "Apache-2.0", await textsIn(root))];
  for (const directory of packages) {
    const place = join(root, directory);
    const { name, version, license } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
    parts.push(part(`${name} ${version}`, license, await textsIn(place)));
  }
  parts.push(
    part(`Node.js ${process.versions.node}`, "MIT and others", await textsIn(join(dirname(process.execPath), ".."))),
  );
  return parts.join("\n");
}

function part(name: string, license: string, texts: readonly string[]): string {
  const line = "=".repeat(80);
  return `${line}\n${name} (${license})\n${line}\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}

async function textsIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => NAMES.test(name)).sort();
  return await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
}
