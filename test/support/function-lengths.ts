/** Finds long functions in this program with the TypeScript compiler. */
import { fileURLToPath } from "node:url";
import { isFunctionLikeDeclaration, type Node } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";
import type { SourceText } from "#test/support/sources.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)), CONFIG = `${ROOT}function-lengths.json`;

/** Returns the place of each function with more than `most` lines, as `path:line`. Parses files without their imports. */
export async function findLongFunctions(sources: readonly SourceText[], most: number): Promise<string[]> {
  const files = sources.filter(({ text }) => countLines(text) > most).map(({ path }) => path);
  const config = JSON.stringify({ compilerOptions: { noResolve: true, noLib: true, types: [] }, files });
  const api = new API({
    cwd: ROOT,
    fs: {
      fileExists: (name) => name === CONFIG ? true : undefined,
      readFile: (name) => name === CONFIG ? config : undefined,
    },
  });
  try {
    const { program } = (await api.updateSnapshot({ openProject: CONFIG })).getProjects()[0]!, found: string[] = [];
    for (const path of files) {
      const file = (await program.getSourceFile(`${ROOT}${path}`))!;
      const visit = (node: Node): void => {
        const start = node.getStart(file);
        if (isFunctionLikeDeclaration(node) && countLines(file.text.slice(start, node.end)) > most) {
          found.push(`${path}:${countLines(file.text.slice(0, start))}`);
        }
        node.forEachChild(visit);
      };
      visit(file);
    }
    return found;
  } finally {
    await api.close();
  }
}

function countLines(text: string): number {
  return text.split("\n").length;
}
