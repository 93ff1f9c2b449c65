import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PERMISSIONS } from "#lib/doctor/permissions.ts";

const test = suite("PERMISSIONS");

// test/deploy/cluster-role.test.ts tests that all permissions are needed and sufficient.
test("has no duplicates", () => {
  const names = PERMISSIONS.map(({ verb, group, resource }) => `${verb} ${resource} ${group}`);
  assert.equal(names.filter((name, index) => names.indexOf(name) !== index), []);
});

test.run();
