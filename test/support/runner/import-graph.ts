/** Finds the modules that a changed file affects, from the imports and paths in the modules' text. */
import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";

export interface ImportGraph {
  /** Returns the modules that depend on these files, directly or through other modules. Each has its distance to the
   * nearest changed file. All paths are relative to the repository, with `/`. */
  findDependents(files: readonly string[]): Map<string, number>;
}

const FOLDERS = ["lib", "src", "routes", "test"];
const LEFT_OUT = /^test\/data\/|(?:^|\/)node_modules\//;
/** Imports that remain when types are stripped: a test cannot notice a change behind `import type`. */
const IMPORT = /^(?:import|export)\b(?! type\b)[^;"'`]*? from "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
/** A path relative to the module. Of a template such as `../golden/${name}`, only the folder is known. */
const RELATIVE_PATH = /\bnew URL\(\s*["`]([^"`$]*)(\$\{)?[^"`]*["`],\s*import\.meta\.url/g;
/** A path relative to the repository, for example in `new URL("docs/scale.md", ROOT)`. */
const ROOT_PATH = /["`]((?:docs|deploy|test|lib|src|routes|\.ci)\/[^"`$\s]*|[A-Z]+\.md|Containerfile)(?=["`$])/g;

export async function readImportGraph(root: string): Promise<ImportGraph> {
  const modules = new Map<string, readonly string[]>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const path = `${folder}/${name.replaceAll(sep, "/")}`;
      if (!/\.[jt]s$/.test(path) || LEFT_OUT.test(path)) continue;
      modules.set(path, listDependencies(path, await readFile(join(root, path), "utf8")));
    }
  }
  const all = [...modules],
    dependents = Map.groupBy(
      all.flatMap(([path, targets]) => targets.map((target) => ({ path, target }))),
      ({ target }) => target,
    );
  return {
    findDependents(files) {
      const found = new Map(files.map((file) => [file, 0]));
      const readers = all.filter(([path, targets]) =>
        !found.has(path) && files.some((file) => isInsideAny(file, targets))
      );
      for (const [path] of readers) found.set(path, 1);
      for (const [path, distance] of found) { // also visits the modules that are added meanwhile
        for (const { path: next } of dependents.get(path) ?? []) if (!found.has(next)) found.set(next, distance + 1);
      }
      return found;
    },
  };
}

/** Returns the files and folders that a module names. A folder ends with `/`. */
export function listDependencies(path: string, text: string): string[] {
  const imports = [...text.matchAll(IMPORT)].map(([, named, bare, dynamic]) => (named ?? bare ?? dynamic)!)
    .filter((specifier) => /^[#.]/.test(specifier))
    .map((specifier) => specifier.startsWith("#") ? specifier.slice(1) : resolve(path, specifier));
  const relative = [...text.matchAll(RELATIVE_PATH)].map(([, literal = "", template]) =>
    resolve(path, template ? literal.slice(0, literal.lastIndexOf("/") + 1) : literal)
  );
  const absolute = [...text.matchAll(ROOT_PATH)].map(([, literal = ""]) => literal);
  // Nearly every module that reads the root or a whole source folder lists files there, and depends on none of them.
  return [...new Set([...imports, ...relative, ...absolute])].filter((target) => !/^(?:\.?\/?|[a-z]+\/)$/.test(target));
}

function resolve(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

function isInsideAny(file: string, targets: readonly string[]): boolean {
  return targets.some((target) => file.startsWith(target.endsWith("/") ? target : `${target}/`));
}
