import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fileURLToPath } from "node:url";
import { listDependencies, readImportGraph } from "#test/support/runner/import-graph.ts";
import { selectDependentTests } from "#test/support/runner/select-files.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

const dependencies = suite("listDependencies");

dependencies("lists static, bare and dynamic imports, and no packages", () => {
  const text = [
    'import { suite } from "uvu";',
    'import "./side-effect.ts";',
    'import {\n  one,\n  two,\n} from "#lib/base/ids.ts";',
    'export { three } from "../three.ts";',
    'const four = await import("./four.ts");',
  ].join("\n");
  assert.equal(listDependencies("src/cli/run.ts", text), [
    "src/cli/side-effect.ts",
    "lib/base/ids.ts",
    "src/three.ts",
    "src/cli/four.ts",
  ]);
});

dependencies("ignores imports of types, which no test can notice", () => {
  assert.equal(listDependencies("lib/a.ts", 'import type { App } from "#lib/app.ts";\n'), []);
});

dependencies("lists files and folders that a module reads", () => {
  const text = [
    'new URL("../../src/main.ts", import.meta.url)',
    "new URL(`../golden/${name}`, import.meta.url)",
    'new URL("docs/scale.md", ROOT)',
    'new URL("../../", import.meta.url)',
    'new URL("lib/", ROOT)',
  ].join("\n");
  assert.equal(listDependencies("test/support/program.ts", text), ["src/main.ts", "test/golden/", "docs/scale.md"]);
});

dependencies.run();

const select = suite("selectDependentTests");
const TESTS = [
  ...["browser/accessible.test.ts", "docs/links.test.ts", "lib/base/ids.test.ts", "lib/domains/spokes/create.test.ts"],
  ...["lib/moodle/golden.test.ts", "rules.test.ts", "src/cli/help.test.ts"],
];
const selectFor = (...changed: string[]) => selectDependentTests(ROOT, TESTS, changed);

select("selects tests that import the file, the nearest first, and those that read all sources", async () => {
  const found = await selectFor("lib/domains/spokes/create.ts");
  assert.is(found[0], "lib/domains/spokes/create.test.ts");
  assert.ok(found.includes("rules.test.ts"), "it reads all sources");
  assert.ok(found.includes("browser/accessible.test.ts"), "through the server and its routes");
  assert.not.ok(found.includes("lib/base/ids.test.ts"));
  assert.not.ok(found.includes("lib/moodle/golden.test.ts"));
});

select("selects a changed test", async () => {
  assert.equal(await selectFor("test/lib/base/ids.test.ts"), ["lib/base/ids.test.ts", "rules.test.ts"]);
});

select("selects tests that read a golden file or a document", async () => {
  assert.equal(await selectFor("test/golden/blueprint/spoke.yaml"), ["lib/moodle/golden.test.ts"]);
  assert.equal(await selectFor("docs/scale.md"), ["docs/links.test.ts"]);
});

select("selects all tests for a migration, package.json or the runner", async () => {
  for (const file of ["sql/0001_create_tables.sql", "package.json", "test/support/runner/worker.ts"]) {
    assert.equal(await selectFor(file), TESTS);
  }
});

select("selects nothing for a file that no test depends on", async () => {
  assert.equal(await selectFor("LICENSE"), []);
});

select.run();

const graph = suite("readImportGraph");

graph("counts the modules between, and finds users of a deleted file", async () => {
  const found = (await readImportGraph(ROOT)).findDependents(["test/data/runner/deleted.ts", "lib/base/ids.ts"]);
  assert.is(found.get("lib/base/ids.ts"), 0);
  assert.is(found.get("test/lib/base/ids.test.ts"), 1);
  assert.is(found.get("test/support/runner/process.test.ts"), 1, "it reads the folder");
});

graph.run();
