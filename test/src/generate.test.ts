import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  compareUrlPatterns,
  findStaleFiles,
  generateFiles,
  renderBlueprintModule,
  renderManifestModule,
  renderMigrationsModule,
  renderReleasesModule,
  toUrlPattern,
} from "#src/generate.ts";
import { BROWSER_ENTRY_POINTS } from "#src/generate/browser.ts";

const test = suite("generateFiles");
const CHART = "deploy/helm/wheelwright/";

test("converts a file path to a pattern", () => {
  assert.is(toUrlPattern("index"), "/");
  assert.is(toUrlPattern("api/spokes/[spokeId]/index"), "/api/spokes/:spokeId");
  assert.is(toUrlPattern("api/openapi.json"), "/api/openapi.json");
  assert.is(toUrlPattern("files/[...rest]"), "/files/:rest{.+}");
});

test("sorts literal segments before parameters, and parameters before wildcards", () => {
  const patterns = ["/a/:rest{.+}", "/a/:id/x", "/b", "/a/:id", "/a/all", "/a"];
  assert.equal(patterns.sort(compareUrlPatterns), ["/a", "/a/all", "/a/:id", "/a/:id/x", "/a/:rest{.+}", "/b"]);
});

test("rejects two files for one URL", () => {
  assert.throws(() => renderManifestModule(["a/index.ts", "a.ts"]), /Two route files serve \/a/);
  assert.throws(() => renderManifestModule(["a/[one].ts", "a/[other].ts"]), /Two route files serve \/a\/:o/);
});

test("writes the manifest in the order of matching", () => {
  const text = renderManifestModule(["api/[id].ts", "api/all.ts"]);
  assert.match(text, 'import * as api_$id from "../routes/api/[id].ts";');
  assert.match(text, '[\n  ["/api/all", api_all],\n  ["/api/:id", api_$id],\n];\n');
});

test("rejects a malformed migration name", () => {
  assert.throws(() => renderMigrationsModule(new Map([["1_x.sql", ""]])), /must be named/);
});

test("writes literals that evaluate to the original text", async () => {
  const hard = "a `tick`, ${not a hole}, a \\ and \\n\r\nä 😀 $$ select 1 $$;\n\n";
  const module = async (text: string) =>
    await import(
      `data:text/javascript,${
        encodeURIComponent(text.replace(/^import.*$/gm, "").replace(/: readonly.*?(?= =)|: Readonly.*?(?= =)/g, ""))
      }`
    );
  assert.is((await module(renderBlueprintModule(new Map([["x.php", hard]])))).blueprint["x.php"], hard);
  assert.equal((await module(renderMigrationsModule(new Map([["0001_x.sql", hard]])))).migrations, [["0001_x", hard]]);
  const lines = ["a `tick`, ${not a hole}, a \\ and \\n ä 😀", 'it says "so" `and` ${not a hole} \\ ends'];
  const log = `# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-12-01)\n${lines.map((line) => `- ${line}\n`).join("")}`;
  assert.equal((await module(renderReleasesModule(log))).releases, [
    { version: "unreleased", date: null, changes: [] },
    { version: "0.1.0", date: "2026-12-01", changes: lines },
  ]);
  assert.not.match(renderReleasesModule(log), /\\"/, "the formatter would write it otherwise");
});

test("lists changed and missing generated files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wheelwright-generate-"));
  const root = pathToFileURL(folder + "/");
  const schema = "lib/dev/simulator/admission/schema";
  const parts = ["routes/api", "sql", "lib/moodle/manifests", "lib/client", schema, "src", "docs", `${CHART}files`];
  for (const part of parts) {
    await mkdir(join(folder, part), { recursive: true });
  }
  const entryPoints = Object.values(BROWSER_ENTRY_POINTS).flatMap((each) => Object.values(each));
  for (const path of entryPoints) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), "");
  }
  await writeFile(join(folder, "sql/0001_make_it.sql"), "select 1;\n");
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n");
  await writeFile(join(folder, "docs/api.md"), "Actions:\n\n<!-- actions -->\n<!-- end of actions -->\n");
  await writeFile(join(folder, "deploy/metrics.md"), "<!-- metrics -->\n<!-- end of metrics -->\n");
  await writeFile(join(folder, `${CHART}Chart.yaml`), "version: 0.0.0\nappVersion: 0.0.0\n");
  const modules = [
    ...["src/manifest.ts", "src/migrations.ts", "src/blueprints.ts", "src/releases.ts"],
    ...["lib/reference/assets.ts", "lib/portal/assets.ts"],
    ...["lib/client/schemas.ts", "lib/client/fields.ts", "lib/client/endpoints.ts", `${schema}/kubernetes-fields.ts`],
  ];
  assert.equal(await findStaleFiles(root), [
    ...[...modules, "docs/api.md", "deploy/metrics.md"],
    ...["Chart.yaml", "files/wide-rules.yaml", "files/spoke-rules.yaml"].map((file) => CHART + file),
  ]);
  for (const [path, text] of await generateFiles(root)) await writeFile(join(folder, path), text);
  assert.equal(await findStaleFiles(root), []);
  await writeFile(join(folder, "sql/0001_make_it.sql"), "select 2;\n");
  assert.equal(await findStaleFiles(root), ["src/migrations.ts"]);
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\n- One.\n");
  assert.equal(await findStaleFiles(root), ["src/migrations.ts", "src/releases.ts"]);
  await writeFile(join(folder, "lib/portal/browser/portal.css"), "p { color: red; }");
  assert.equal(await findStaleFiles(root), ["src/migrations.ts", "src/releases.ts", "lib/portal/assets.ts"]);
  assert.match(await readFile(join(folder, "docs/api.md"), "utf8"), /^\|`suspend` \| active, resuming \| .* \| yes$/m);
  for (const marks of ["", "<!-- actions -->\n", "<!-- end of actions -->\n"]) {
    await writeFile(join(folder, "docs/api.md"), `Actions:\n${marks}`);
    assert.match(
      String(await findStaleFiles(root).catch((error) => error)),
      /lacks the comments that enclose the table of actions/,
    );
  }
  await writeFile(join(folder, "docs/api.md"), "<!-- actions -->\n<!-- end of actions -->");
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## Unreleased\n\nOne.\n");
  const refused = await findStaleFiles(root).then(() => null, (error) => error);
  assert.match(refused?.message ?? "", /^CHANGELOG.md, line 5 must begin an entry/);
  await rm(folder, { recursive: true });
});

test.run();
