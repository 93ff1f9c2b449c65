/**
 * Bundles the program and every package that it imports into a few modules.
 *
 * Each command is a separate module, because loading all eight megabytes takes longer than running most commands.
 * Builds are reproducible: paths are relative, and no timestamps are included.
 */
import { builtinModules } from "node:module";
import { basename, join } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import type { BuildInfo } from "../release.ts";
import { collectLicenses } from "./licenses.ts";

export interface Bundle {
  /** The text of each module, keyed by file name. All files belong in one directory; main.mjs starts the program. */
  readonly modules: ReadonlyMap<string, string>;
  /** The built-in modules that the bundle imports. The bundle imports nothing else. */
  readonly imports: readonly string[];
  /** The directories of the bundled packages, relative to the checkout. */
  readonly packages: readonly string[];
}

interface BundleOptions {
  readonly version: string;
  readonly commit: string;
}

/** Optional dependencies of bundled packages. The bundle never includes these dependencies. */
const OPTIONAL_PACKAGES = /^(?:bufferutil|utf-8-validate|supports-color)$/;

/** Bundles the checkout in the directory `root`. Throws an Error if the bundle would still import an npm package. */
export async function bundleProgram(root: string, { version, commit }: BundleOptions): Promise<Bundle> {
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
    tsconfigRaw: "{}", // ignores tsconfig.json, which is missing in the build of a container image
    keepNames: true,
    legalComments: "eof",
    logLevel: "silent",
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    banner: { js: REQUIRE_BANNER },
    plugins: [optionalPackagesPlugin, sideEffectsPlugin],
  });
  const imports = importsOf(metafile), packages = packagesOf(metafile);
  const foreign = imports.filter((name) =>
    !builtinModules.includes(name.replace(/^node:/, "")) && !isPrefixedBuiltin(name)
  );
  if (foreign.length > 0) throw new Error(`The bundle would still import ${foreign.join(", ")}`);
  const built: BuildInfo = { version, commit, licenses: await collectLicenses(root, packages) };
  const texts = outputFiles.map(({ path, text }) => [basename(path), text] as const).sort();
  const modules = new Map(texts);
  modules.set("main.mjs", `globalThis.WHEELWRIGHT_BUILT = ${JSON.stringify(built)};\n${modules.get("main.mjs")}`);
  return { modules, imports, packages };
}

/** Code that defines `require`, because CommonJS packages call it but ES modules do not provide it. */
const REQUIRE_BANNER = `import { createRequire as createRequireOfBundle } from "node:module"; ` +
  `const require = createRequireOfBundle(import.meta.url);`;

const optionalPackagesPlugin: Plugin = {
  name: "absent",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: OPTIONAL_PACKAGES }, ({ path }) => ({ path, namespace: "absent" }));
    onLoad({ filter: /^/, namespace: "absent" }, ({ path }) => ({
      contents: `throw new Error("${path} is not part of this program");`,
    }));
  },
};

/**
 * Marks the Kubernetes client's modules as free of side effects, so that esbuild removes its unused classes. The plugin
 * also resolves the client's two thousand files, because esbuild would need ten seconds of CPU time to do so.
 */
const sideEffectsPlugin: Plugin = {
  name: "unused",
  setup({ onResolve }) {
    onResolve(
      { filter: /^\.{1,2}\/.*\.js$/ },
      ({ path, resolveDir }) =>
        /client-node.dist\b/.test(resolveDir) ? { path: join(resolveDir, path), sideEffects: false } : undefined,
    );
  },
};

/** Whether a built-in module requires the prefix `node:`, like node:sqlite. `builtinModules` omits these modules. */
function isPrefixedBuiltin(name: string): boolean {
  return name.startsWith("node:") && process.getBuiltinModule(name) !== undefined;
}

function importsOf({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}

/** Returns the directories of the bundled packages, relative to the checkout, for example `node_modules/hono`. */
function packagesOf({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))].sort();
}
