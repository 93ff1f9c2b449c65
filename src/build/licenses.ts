/** Collects the licences that the executable must include: those for Wheelwright, its packages, and Node. */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const LICENSE_FILES = /^(?:licen[sc]e|copying|notice)(?:$|[.-])/i;

/** Returns all licences as one text. `packages` lists package directories, relative to `root`. */
export async function collectLicenses(root: string, packages: readonly string[]): Promise<string> {
  const parts = [formatSection("Wheelwright", "Apache-2.0", await readLicenseTexts(root))];
  for (const directory of packages) {
    const path = join(root, directory);
    const { name, version, license } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
    parts.push(formatSection(`${name} ${version}`, license, await readLicenseTexts(path)));
  }
  parts.push(
    formatSection(
      `Node.js ${process.versions.node}`,
      "MIT and others",
      await readLicenseTexts(join(dirname(process.execPath), "..")),
    ),
  );
  return parts.join("\n");
}

function formatSection(name: string, license: string, texts: readonly string[]): string {
  const line = "=".repeat(80);
  return `${line}\n${name} (${license})\n${line}\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}

async function readLicenseTexts(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => LICENSE_FILES.test(name)).sort();
  return await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
}
