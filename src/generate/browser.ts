/**
 * Bundles the scripts and style sheets for browsers into modules that export their text. The program therefore needs
 * neither asset files nor esbuild when it runs.
 */
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** The entry points of the generated modules, by module and by the name of the constant that contains the bundle. */
export const BROWSER_ENTRY_POINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "lib/reference/assets.ts": {
    referencePageScript: "lib/reference/browser/reference.ts",
    referencePageStyle: "lib/reference/browser/reference.css",
    changelogStyle: "lib/reference/browser/changelog.css",
    frontPageStyle: "lib/reference/browser/front.css",
  },
  "lib/portal/assets.ts": {
    portalScript: "lib/portal/browser/portal.ts",
    passkeyScript: "lib/portal/browser/passkeys.ts",
    portalStyle: "lib/portal/browser/portal.css",
    standaloneStyle: "lib/portal/browser/standalone.css",
  },
};

/** Bundles the entry points in the directory `root`. Returns each bundle's text, keyed by the name of its constant. */
export function bundleForBrowsers(root: URL, entryPoints: Readonly<Record<string, string>>): Map<string, string> {
  const { outputFiles } = buildSync({
    absWorkingDir: fileURLToPath(root),
    entryPoints,
    bundle: true,
    minify: true,
    lineLimit: 120,
    charset: "utf8",
    format: "iife",
    target: "es2023",
    tsconfigRaw: "{}",
    logLevel: "silent",
    outdir: "dist",
    write: false,
  });
  return new Map(Object.keys(entryPoints).map((name, i) => [name, outputFiles[i]!.text]));
}
