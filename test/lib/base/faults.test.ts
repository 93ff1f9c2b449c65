import { readdir, readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FAULTS } from "#lib/base/faults.ts";

const test = suite("FAULTS");
const ROOT = new URL("../../../", import.meta.url);

interface Thrown {
  readonly path: string;
  readonly kind: string;
  readonly code: string;
}

/** Every `new Fault("kind", "code", …)` and matching `super(…)` in the sources. Other notations have no kind here. */
async function findThrown(): Promise<Thrown[]> {
  const found: Thrown[] = [];
  for (const folder of ["lib", "routes", "src"]) {
    for (const file of await readdir(new URL(`${folder}/`, ROOT), { recursive: true })) {
      if (!file.endsWith(".ts")) continue;
      const path = `${folder}/${file}`;
      if (path === "lib/base/refusals.ts") continue; // refusals.test.ts checks its codes
      const text = await readFile(new URL(path.replaceAll("[", "%5B").replaceAll("]", "%5D"), ROOT), "utf8");
      for (const [, rest = ""] of text.matchAll(/\b(?:new Fault|extends Fault \{[^}]*?super)\(([^;]*)/g)) {
        const [, kind = "", code = ""] = /^\s*"(\w+)",\s*"(\w+)",/.exec(rest) ?? [];
        found.push({ path, kind, code });
      }
    }
  }
  return found;
}

test("lists every thrown code with its kind", async () => {
  const kinds = new Map<string, string>(Object.entries(FAULTS).map(([code, [kind]]) => [code, kind]));
  const thrown = await findThrown();
  assert.ok(thrown.length > 50, "the sources were read");
  const unknown = thrown.filter(({ kind, code }) => kind === "" || kinds.get(code) !== kind);
  assert.equal(
    unknown.map(({ path, kind, code }) =>
      kind === ""
        ? `${path} makes a Fault whose kind and code are not written out: new Fault("kind", "code", …)`
        : `${path} throws ${code}: add to lib/base/faults.ts the line  ${code}: ["${kind}", "A sentence as callers read it"],`
    ),
    [],
  );
});

test("lists no unused code", async () => {
  const thrown = new Set((await findThrown()).map(({ code }) => code));
  assert.equal(Object.keys(FAULTS).filter((code) => !thrown.has(code)), []);
});

test("has sentences without a full stop", () => {
  const odd = Object.entries(FAULTS).filter(([, [, sentence]]) => sentence.length < 8 || sentence.endsWith("."));
  assert.equal(odd.map(([code]) => code), []);
});

test.run();
