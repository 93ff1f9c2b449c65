/** Tests that the names the chart derives from a release's name are unique to it. Skipped without Helm. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { EnvironmentVariables } from "#lib/base/variables.ts";
import { renderObjects, REQUIRED_CHART_VALUES } from "#test/support/chart.ts";
import { helm } from "#test/support/tools.ts";

const test = suite("names of releases");
const rendered = helm === null ? test.skip : test;

const LONG = "a-school-district-with-a-long-name";
const RELEASES = [
  ...["wheelwright", "wheelwright-north", "north", "north-wheelwright", "wheelwrights"],
  ...["nort-h", "n-orth", "2-north", "1-2a", "12", "north.example", "abcdefghijklmnop", "abcdefghijklmnopq"],
  ...[`${LONG}-a`, `${LONG}-b`, "b".repeat(53)],
];

/** Returns the name of the account's role and the RELEASE_ID. */
function namesOf(release: string): readonly [role: string, releaseId: string] {
  const objects = renderObjects(REQUIRED_CHART_VALUES, release);
  const roles = objects.filter(({ kind }) => kind === "ClusterRole").map(({ metadata }) => metadata.name as string);
  const role = roles.find((name) => roles.includes(`${name}-spoke`))!;
  const { data } = objects.find(({ kind, data }) => kind === "ConfigMap" && data.RELEASE_ID !== undefined)!;
  return [role, data.RELEASE_ID];
}

rendered("differ from those of every other release, and the program accepts its RELEASE_ID", () => {
  const names = RELEASES.map(namesOf);
  for (const each of [0, 1] as const) assert.is(new Set(names.map((both) => both[each])).size, RELEASES.length);
  for (const [i, [role, releaseId]] of names.entries()) {
    assert.ok(v.is(EnvironmentVariables.entries.RELEASE_ID, releaseId), `${RELEASES[i]}: ${releaseId}`);
    assert.ok(role.length <= 40, role);
    assert.match(role, /(^|-)wheelwright(-|$)/);
  }
});

rendered("are the release's own name where that is short", () => {
  assert.equal(namesOf("wheelwright"), ["wheelwright", "wheelwright"]);
  assert.equal(namesOf("north"), ["north-wheelwright", "north"]);
});

test.run();
