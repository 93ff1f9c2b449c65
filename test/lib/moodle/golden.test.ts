/** Compares the rendered objects of each size with golden files. UPDATE_GOLDEN=1 rewrites them; review the diff. */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { stringify } from "yaml";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diffObjects } from "#lib/drivers/cluster/diff.ts";
import { formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { allObjects, builtIn, HUB_STEPS, hubInputsOf, inputsOf } from "#test/lib/moodle/fixtures.ts";

const test = suite("the rendered blueprint");
const SHORT = "<?php // a script of the seed, shortened here\n";
const blueprint = createBlueprint(builtIn({ "seed.php": SHORT, "courses.php": SHORT }));

function compare(file: string, text: string): void {
  const path = new URL(`../../golden/blueprint/${file}`, import.meta.url);
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(path, text);
  assert.fixture(text, readFileSync(path, "utf8"));
}

function yamlOf(objects: readonly KubeObject[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join("---\n")
    .replaceAll(blueprint.revision, "<revision>");
}

const renderSize = (size: string) => allObjects(blueprint, inputsOf(blueprint, {}, size));

test("matches the golden file for the smallest size", () => compare("small.yaml", yamlOf(renderSize("small"))));

for (const size of ["medium", "large"]) {
  test(`matches the golden diff for size ${size}`, () => {
    const small = renderSize("small"), objects = renderSize(size);
    assert.equal(objects.map(formatObjectTitle), small.map(formatObjectTitle));
    const lines = objects.flatMap((object, i) =>
      diffObjects(small[i]!, object).map(({ path, from, to }) =>
        `${formatObjectTitle(object)} ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}\n`
      )
    );
    compare(`${size}.txt`, lines.join(""));
  });
}

test("matches the golden file for a site from snapshots with its own PVCs", () => {
  const origin = { adoptionId: "k5r2dg7w1x", identity: "new" } as const,
    claims = { files: "files-k5r2", data: "data-k5r2" };
  const objects = allObjects(blueprint, inputsOf(blueprint, { origin, claims }));
  const changed = ["StatefulSet", "PersistentVolumeClaim", "Deployment"]; // of the others, the name of the claim alone
  compare("adopted.yaml", yamlOf(objects.filter(({ kind }) => changed.includes(kind))));
});

test("matches the golden file for a hub", () => {
  compare("hub.yaml", yamlOf(HUB_STEPS.flatMap((step) => blueprint.hubObjects(hubInputsOf(blueprint), step))));
});

test("is the same each time", () => {
  const render = () => allObjects(blueprint, inputsOf(blueprint));
  assert.equal(render(), render());
});

test.run();
