/** What each size becomes. UPDATE_GOLDEN=1 writes the files anew; look at what changed. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stringify } from "yaml";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { makeBlueprint } from "#lib/moodle/load.ts";
import { allObjects, builtIn, HUB_STEPS, hubInputsOf, inputsOf } from "#test/lib/moodle/scene.ts";

const test = suite("the rendered blueprint");
const SHORT = "<?php // a script of the seed, shortened here\n";
const blueprint = makeBlueprint(builtIn({ "seed.php": SHORT, "courses.php": SHORT }));

function compare(name: string, objects: readonly KubeObject[]): void {
  const path = new URL(`../../golden/blueprint/${name}.yaml`, import.meta.url);
  const text = objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join("---\n")
    .replaceAll(blueprint.revision, "<revision>");
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(path, text);
  assert.fixture(text, readFileSync(path, "utf8"));
}

for (const size of ["small", "medium", "large"]) {
  test(`is the golden file's for size ${size}`, () => {
    compare(size, allObjects(blueprint, inputsOf(blueprint, {}, size)));
  });
}

test("is the golden file's for a hub", () => {
  compare("hub", HUB_STEPS.flatMap((step) => blueprint.hubObjects(hubInputsOf(blueprint), step)));
});

test("is the same every time", () => {
  const render = () => allObjects(blueprint, inputsOf(blueprint));
  assert.equal(render(), render());
});

test.run();
