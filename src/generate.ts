/**
 * Generates modules from the routes, migrations, blueprint files, changelog, and the scripts and style sheets for
 * browsers. The executable imports these modules, so that it needs no other files. Also generates the API types in lib/client, the tables in docs/api.md and
 * deploy/metrics.md, and the version and RBAC rules of the Helm chart.
 *
 *   npm run generate                 writes the files that have changed
 *   node src/generate.ts --check     fails if a generated file is out of date
 *
 * The output has the format that `deno fmt` produces.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { renderClusterRules } from "#lib/doctor/cluster-role.ts";
import type { OperationDeclaration } from "#lib/operations/operation.ts";
import { ACTIONS, SPOKE_OPERATIONS } from "#lib/operations/table.ts";
import { type RouteModule, withoutPortal } from "#lib/http/endpoint.ts";
import type { ApiDocument } from "#lib/reference/document.ts";
import { buildOpenApiDocument } from "#lib/reference/openapi.ts";
import { readProgramRelease } from "#src/release.ts";
import { renderEndpoints, renderSchemas } from "#src/generate/client.ts";
import { BROWSER_ENTRY_POINTS, bundleForBrowsers } from "#src/generate/browser.ts";
import { renderFieldsModule } from "#src/generate/fields.ts";
import { renderKubernetesFields } from "#src/generate/kubernetes-fields.ts";
import { insertMetricList } from "#src/generate/metrics.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { parseYaml, writeYamlDocuments } from "#lib/moodle/yaml.ts";
import { parseReleases } from "#lib/domains/changelog/releases.ts";

const ROOT = new URL("../", import.meta.url);
const GENERATED_COMMENT = "/** Written by `npm run generate`; commit it, do not edit it. */\n";
const CHART = "deploy/helm/wheelwright/";
const YAML_GENERATED_COMMENT =
  "# Written by `npm run generate` from lib/doctor/permissions.ts; commit it, do not edit it.\n";

/** Returns the text of each generated file, keyed by path. */
export async function generateFiles(root: URL = ROOT): Promise<Map<string, string>> {
  const routes = await listFiles(new URL("routes/", root), ".ts"), api = await documentOf(routes, root);
  return new Map([
    ["src/manifest.ts", renderManifestModule(routes)],
    ["src/migrations.ts", renderMigrationsModule(await readFiles(new URL("sql/", root), ".sql"))],
    ["src/blueprints.ts", renderBlueprintModule(await readFiles(new URL("lib/moodle/manifests/", root), ""))],
    ["src/releases.ts", renderReleasesModule(await readFile(new URL("CHANGELOG.md", root), "utf8"))],
    ...Object.entries(BROWSER_ENTRY_POINTS).map(([path, entryPoints]) =>
      [path, renderTextModule(bundleForBrowsers(root, entryPoints))] as const
    ),
    ["lib/client/schemas.ts", GENERATED_COMMENT + renderSchemas(api)],
    ["lib/client/fields.ts", GENERATED_COMMENT + renderFieldsModule({ SPOKE_FIELDS: spokeFields }, ACTIONS)],
    ["lib/client/endpoints.ts", GENERATED_COMMENT + renderEndpoints(api, readProgramRelease().version)],
    ["lib/dev/simulator/admission/schema/kubernetes-fields.ts", GENERATED_COMMENT + await renderKubernetesFields()],
    ["docs/api.md", insertActionTable(await readFile(new URL("docs/api.md", root), "utf8"))],
    ["deploy/metrics.md", insertMetricList(await readFile(new URL("deploy/metrics.md", root), "utf8"))],
    [
      `${CHART}Chart.yaml`,
      setChartVersion(await readFile(new URL(`${CHART}Chart.yaml`, root), "utf8"), readProgramRelease().version),
    ],
    [`${CHART}files/wide-rules.yaml`, YAML_GENERATED_COMMENT + renderClusterRules([]).wide],
    [`${CHART}files/spoke-rules.yaml`, YAML_GENERATED_COMMENT + renderClusterRules([]).spoke],
  ]);
}

/** Returns the OpenAPI document for the given route files. Does not use src/manifest.ts, which may be out of date. */
async function documentOf(files: readonly string[], root: URL): Promise<ApiDocument> {
  const modules = await Promise.all(files.map(async (file) => {
    const module: RouteModule = await import(new URL(`routes/${file}`, root).href);
    return [toUrlPattern(file.slice(0, -".ts".length)), module] as const;
  }));
  const manifest = modules.sort(([a], [b]) => compareUrlPatterns(a, b));
  return buildOpenApiDocument(withoutPortal(manifest), readProgramRelease());
}

/** Inserts the table of actions on spokes into the text of docs/api.md, between two marker comments. */
export function insertActionTable(text: string): string {
  const rows = (Object.values(SPOKE_OPERATIONS) as OperationDeclaration<string, string>[]).filter(({ action }) =>
    action
  )
    .map(({ name, from, allowedWhenFailed: mends, transition: passage, downtime = false }) => [
      `\`${name}\``,
      [...from, ...(mends ? ["failed"] : [])].join(", "),
      passage ? `${passage.through}, then ${passage.to}` : "unchanged",
      typeof downtime === "boolean" ? (downtime ? "yes" : "no") : "if its pods change",
    ]);
  const head = ["action", "allowed when", "state during and after", "downtime"];
  const [titles, ...cells] = [head, ...rows].map((row) => `|${row.join(" | ")}\n`);
  const lines = [titles, `${"|---".repeat(head.length)}\n`, ...cells];
  const marked = /(?<=<!-- actions -->\n).*(?=<!-- end of actions -->)/s;
  if (!marked.test(text)) throw new Error("docs/api.md lacks the comments that enclose the table of actions");
  return text.replace(marked, () => `\n${lines.join("")}\n`);
}

/** Sets the chart's version to the program's version, because both are released together. */
export function setChartVersion(chart: string, version: string): string {
  return chart.replaceAll(/^(version|appVersion): .*$/gm, (_, field) => `${field}: ${version}`);
}

/** Returns the paths of generated files that are out of date. */
export async function findStaleFiles(root: URL = ROOT): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, text] of await generateFiles(root)) {
    if (await readFile(new URL(path, root), "utf8").catch(() => null) !== text) stale.push(path);
  }
  return stale;
}

/** Converts a file path to a URL pattern, for example `api/spokes/[spokeId]/index` to `/api/spokes/:spokeId`. */
export function toUrlPattern(file: string): string {
  const path = file.replace(/(^|\/)index$/, "").replace(/\[\.\.\.(\w+)\]/g, ":$1{.+}").replace(/\[(\w+)\]/g, ":$1");
  return "/" + path;
}

/** Derives a route's identifier from the file path, so that a new route does not change other identifiers. */
function toIdentifier(file: string): string {
  return file.replace(/\[(?:\.\.\.)?(\w+)\]/g, "$$$1").replace(/[^\w$]/g, "_");
}

/** Compares URL patterns. Literal segments sort first and wildcards last, because the router uses the first match. */
export function compareUrlPatterns(a: string, b: string): number {
  const rank = (segment: string) => (segment.endsWith("{.+}") ? 2 : segment.startsWith(":") ? 1 : 0);
  const left = a.split("/"), right = b.split("/");
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const one = left[i]!, other = right[i]!;
    if (one !== other) return rank(one) - rank(other) || (one < other ? -1 : 1);
  }
  return left.length - right.length;
}

export function renderManifestModule(files: readonly string[]): string {
  const routes = files.map((file) => file.slice(0, -".ts".length))
    .map((file) => ({ file, pattern: toUrlPattern(file), name: toIdentifier(file) }))
    .sort((a, b) => compareUrlPatterns(a.pattern, b.pattern));
  const shapes = routes.map(({ pattern }) => pattern.replace(/:\w+/g, ":"));
  const twice = routes.find((_, i) => shapes.indexOf(shapes[i]!) !== i);
  if (twice) throw new Error(`Two route files serve ${twice.pattern}`);
  return GENERATED_COMMENT +
    `import type { Manifest } from "#lib/http/endpoint.ts";\n` +
    routes.map(({ name, file }) => `import * as ${name} from "../routes/${file}.ts";\n`).join("") +
    `\nexport const manifest: Manifest = [` +
    routes.map(({ pattern, name }) => `\n${renderRoute(JSON.stringify(pattern), name)}`).join("") +
    `${routes.length > 0 ? "\n" : ""}];\n`;
}

/** Breaks long lines as the formatter does. */
function renderRoute(pattern: string, name: string): string {
  const line = `  [${pattern}, ${name}],`;
  return line.length <= 120 ? line : `  [\n    ${pattern},\n    ${name},\n  ],`;
}

export function renderMigrationsModule(files: ReadonlyMap<string, string>): string {
  for (const file of files.keys()) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) throw new Error(`sql/${file} must be named NNNN_what_it_does.sql`);
  }
  const entries = [...files].map(([file, text]) =>
    `  [\n    ${JSON.stringify(file.slice(0, -".sql".length))},\n    ${toTemplateLiteral(text)},\n  ],\n`
  );
  return GENERATED_COMMENT + `import type { Migration } from "#lib/drivers/db/compare-schema.ts";\n\n` +
    `export const migrations: readonly Migration[] = [\n${entries.join("")}];\n`;
}

export function renderBlueprintModule(files: ReadonlyMap<string, string>): string {
  const refuse = (file: string) => (problem: string) => {
    throw new Error(`${file}: ${problem}`);
  };
  const entries = [...files].map(([file, text]) => {
    // Stores YAML files as JSON, because parsing YAML would take half of the startup time.
    const content = file.endsWith(".yaml") ? writeYamlDocuments(parseYaml(text, refuse(file))) : text;
    return `  ${JSON.stringify(file)}: ${toTemplateLiteral(content)},\n`;
  });
  return GENERATED_COMMENT + `export const blueprint: Readonly<Record<string, string>> = {\n${entries.join("")}};\n`;
}

/** Returns a module that lists the changes in each release. Throws if the changelog is malformed. */
export function renderReleasesModule(changelog: string): string {
  const entries = parseReleases(changelog).map(({ version, date, changes }) =>
    `  {\n    version: ${JSON.stringify(version)},\n    date: ${JSON.stringify(date)},\n    changes: [` +
    changes.map((change) => `\n      ${toStringLiteral(change)},`).join("") +
    `${changes.length > 0 ? "\n    " : ""}],\n  },\n`
  );
  return GENERATED_COMMENT + `import type { ReleaseNotes } from "#lib/domains/changelog/releases.ts";\n\n` +
    `export const releases: readonly ReleaseNotes[] = [\n${entries.join("")}];\n`;
}

/** Returns a module that exports a constant for each text. */
export function renderTextModule(texts: ReadonlyMap<string, string>): string {
  const constants = [...texts].map(([name, text]) => `\nexport const ${name} = ${toTemplateLiteral(text)};\n`);
  return GENERATED_COMMENT + constants.join("").slice(1);
}

/** Returns the line as a string literal, in quotes that the formatter does not change. */
function toStringLiteral(line: string): string {
  return line.includes('"') ? "`" + line.replace(/[\\`]|\$\{/g, "\\$&") + "`" : JSON.stringify(line);
}

/** Returns a template literal for the text. The text starts on a new line, so that the formatter never wraps it. */
function toTemplateLiteral(text: string): string {
  // Escapes carriage returns, because JavaScript reads an unescaped one as a line feed.
  return "`\\\n" + text.replace(/[\\`]|\$\{/g, "\\$&").replaceAll("\r", "\\r") + "`";
}

async function listFiles(folder: URL, ending: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.map((file) => file.replaceAll(sep, "/")).filter((file) => file.endsWith(ending)).sort();
}

async function readFiles(folder: URL, ending: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of await listFiles(folder, ending)) texts.set(file, await readFile(new URL(file, folder), "utf8"));
  return texts;
}

async function main(args: readonly string[]): Promise<number> {
  const stale = await findStaleFiles();
  if (args.includes("--check")) {
    if (stale.length > 0) process.stderr.write(`Files out of date: ${stale.join(", ")}. Run: npm run generate\n`);
    return stale.length > 0 ? 1 : 0;
  }
  const texts = await generateFiles();
  for (const path of stale) await writeFile(new URL(path, ROOT), texts.get(path)!);
  return 0;
}

// Calls `main` only if this file runs as a script, because a test imports this module without writing files.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).then((status) => process.exitCode = status, (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  });
}
