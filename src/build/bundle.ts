/**
 * The program as a few modules that need nothing else: its own sources and every package that it imports. What a command
 * loads when it is asked for is a module of its own: to read all eight megabytes takes longer than most commands do.
 *
 * They are not minified, and names and paths are kept, so that a stack in a log can be read. The same sources give the same
 * texts, wherever they lie: paths in them are relative, and nothing tells when they were made.
 */
import { builtinModules } from "node:module";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import type { Built } from "../release.ts";
import { collectLicenses } from "./licenses.ts";

export interface Bundle {
  /** The texts of its modules by their names. They import each other, all in one directory; main.mjs is the program. */
  readonly modules: ReadonlyMap<string, string>;
  /** The modules of the runtime that they import; they import nothing else. */
  readonly imports: readonly string[];
  /** The packages in them. */
  readonly packages: readonly string[];
}

interface BundleOptions {
  readonly version: string;
  readonly commit: string;
}

/** What packages use if it happens to be installed, and do without else: here it never is. */
const ABSENT = /^(?:bufferutil|utf-8-validate|supports-color)$/;

/** The bundle of the checkout in this directory. Throws when it would need anything that is not in it. */
export async function bundle(root: string, { version, commit }: BundleOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["src/main.ts"],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node26",
    tsconfigRaw: "{}", // whether or not the file is there, as in the build of a container image
    keepNames: true,
    legalComments: "eof",
    logLevel: "silent",
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    banner: { js: REQUIRE },
    plugins: [absent, unused],
  });
  const imports = importsOf(metafile), packages = packagesOf(metafile);
  const foreign = imports.filter((name) => !builtinModules.includes(name.replace(/^node:/, "")) && !isPrefixed(name));
  if (foreign.length > 0) throw new Error(`The bundle would still import ${foreign.join(", ")}`);
  const built: Built = { version, commit, licenses: await collectLicenses(root, packages) };
  const texts = outputFiles.map(({ path, text }) => [basename(path), text] as const).sort();
  const modules = new Map(texts);
  modules.set("main.mjs", `globalThis.WHEELWRIGHT_BUILT = ${JSON.stringify(built)};\n${modules.get("main.mjs")}`);
  return { modules, imports, packages };
}

/** Packages that are not modules yet call `require`, which a module has to make for itself. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from "node:module"; ` +
  `const require = createRequireOfBundle(import.meta.url);`;

const absent: Plugin = {
  name: "absent",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: "absent" }));
    onLoad({ filter: /^/, namespace: "absent" }, ({ path }) => ({
      contents: `throw new Error("${path} is not part of this program");`,
    }));
  },
};

/**
 * Sixteen megabytes, a class for each kind of the Kubernetes API: without effects, so that what nobody names is left out. Its
 * modules name files; to have esbuild resolve two thousand of them, one question each, takes it ten seconds of processor.
 */
const unused: Plugin = {
  name: "unused",
  setup({ onResolve }) {
    onResolve(
      { filter: /^\.{1,2}\/.*\.js$/ },
      ({ path, resolveDir }) =>
        /client-node.dist\b/.test(resolveDir) ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};

/** Such as node:sqlite, which have no name without the prefix and so are not in the list of the others. */
function isPrefixed(name: string): boolean {
  return name.startsWith("node:") && process.getBuiltinModule(name) !== undefined;
}

function importsOf({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}

/** The directories of the packages, relative to the checkout: `node_modules/hono`. */
function packagesOf({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))].sort();
}
