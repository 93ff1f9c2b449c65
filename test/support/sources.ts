/** Reads the modules of this program, for tests of their rules. */
import { readdir, readFile } from "node:fs/promises";
import { sep } from "node:path";

const ROOT = new URL("../../", import.meta.url);

const GENERATED = [
  ...["src/manifest.ts", "src/migrations.ts", "src/blueprints.ts", "src/releases.ts"],
  ...["lib/reference/assets.ts", "lib/portal/assets.ts", "lib/client/schemas.ts", "lib/client/endpoints.ts"],
  "lib/dev/simulator/admission/schema/kubernetes-fields.ts",
];

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

export interface Source extends SourceText {
  /** The imports, as written. */
  readonly imports: readonly string[];
}

export async function readSources(...folders: string[]): Promise<Source[]> {
  return (await readSourceTexts(".ts", ...folders)).map((source) => ({ ...source, imports: importsOf(source.text) }));
}

/** Reads the files whose names end with `ending`, without generated modules. */
export async function readSourceTexts(ending: string, ...folders: string[]): Promise<SourceText[]> {
  const sources: SourceText[] = [];
  for (const folder of folders) {
    for (const file of await readdir(new URL(`${folder}/`, ROOT), { recursive: true })) {
      const path = `${folder}/${file.replaceAll(sep, "/")}`;
      if (!path.endsWith(ending) || GENERATED.includes(path) || /^test\/data\/|\/node_modules\//.test(path)) continue;
      const text = await readFile(new URL(path.replaceAll("[", "%5B").replaceAll("]", "%5D"), ROOT), "utf8");
      sources.push({ path, text });
    }
  }
  return sources;
}

function importsOf(text: string): string[] {
  const found = text.matchAll(
    /^(?:import|export)\b[^;"'`]*? from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...found].map(([, named, bare, dynamic]) => (named ?? bare ?? dynamic)!);
}

/** Returns the file of this program that an import names, or null for a package. */
export function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith("#")) return specifier.slice(1);
  return specifier.startsWith(".") ? new URL(specifier, `file:///${from}`).pathname.slice(1) : null;
}
