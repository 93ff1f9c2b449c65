import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { listOfferedVersions } from "#lib/moodle/releases.ts";
import { MoodleVersion } from "#lib/model/spoke.ts";
import { compareVersions } from "#lib/moodle/sizes.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("findVersionImages");
const blueprint = openBlueprint();

test("finds listed versions, and the newest one for a prefix", () => {
  assert.is(blueprint.findImages("4.5.12")?.moodle, "erseco/alpine-moodle:v4.5.12");
  assert.equal(blueprint.findImages("4.5"), blueprint.findImages("4.5.12"));
  assert.equal(blueprint.findImages("5"), blueprint.findImages("5.2.2"));
  assert.is(blueprint.findImages("5.2.2")?.fpmDirectory, "/etc/php84/php-fpm.d");
});

test("finds other versions by their family", () => {
  assert.is(blueprint.findImages("4.5.1")?.moodle, "erseco/alpine-moodle:v4.5.1");
  assert.is(blueprint.findImages("5.1.6")?.moodle, "erseco/alpine-moodle:v5.1.6-php84");
  assert.is(blueprint.findImages("4.51")?.moodle, "erseco/alpine-moodle:v4.51");
});

test("lists the default version first and previews last", () => {
  assert.equal(listOfferedVersions(blueprint.images), ["4.5.12", "5.2.2"]);
});

const versions = suite("compareVersions");

versions("compares numbers, not strings", () => {
  const sorted = ["4.5.2", "5", "4.5.12", "4.5", "10.0", "5.0.1"].sort(compareVersions);
  assert.equal(sorted, ["4.5", "4.5.2", "4.5.12", "5", "5.0.1", "10.0"]);
});

versions("accepts version numbers, and rejects parts of an image name", () => {
  for (const good of ["4", "4.5", "4.5.12", "5.2.2-php84"]) assert.ok(v.is(MoodleVersion, good), good);
  for (const bad of ["", "v4", "latest", "4..5", "4.5:x", "4.5@sha256", "../4", "4.5 ", "4.5.1.2.3"]) {
    assert.not.ok(v.is(MoodleVersion, bad), bad);
  }
});

test.run();
versions.run();
