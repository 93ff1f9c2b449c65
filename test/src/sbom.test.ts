import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const ROOT = new URL("../../", import.meta.url);

const test = suite("npm run build -- sbom");

test("lists all runtime dependencies, and no development dependencies", async () => {
  const { stdout } = await promisify(execFile)("npm", ["run", "--silent", "build", "--", "sbom"], {
    cwd: fileURLToPath(ROOT),
    maxBuffer: 2 ** 26,
  });
  const bom = JSON.parse(stdout);
  const about = JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"));
  const versions = new Map(bom.components.map(({ name, version }: Record<string, string>) => [name, version]));
  for (const [name, version] of Object.entries({ ...about.dependencies, ...about.optionalDependencies })) {
    assert.is(versions.get(name), version, name);
  }
  const shared = ["@types/node"]; // of the Kubernetes library, which counts it among what it needs
  const development = Object.keys(about.devDependencies).filter((name) => versions.has(name));
  assert.equal(development, shared);
  assert.equal([bom.bomFormat, bom.metadata.component.name], ["CycloneDX", "wheelwright"]);
  assert.ok(versions.has("undici"), "what a dependency needs itself");
  assert.not.ok(versions.has("kleur"), "what uvu needs");
  const refs = new Set(["wheelwright@" + about.version, ...bom.components.map((one: never) => one["bom-ref"])]);
  for (const { ref, dependsOn } of bom.dependencies) {
    assert.equal([ref, ...dependsOn].filter((each) => !refs.has(each)), [], ref);
  }
});

test.run();
