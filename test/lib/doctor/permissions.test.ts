import { suite } from "uvu";
import * as assert from "uvu/assert";
import { KUBERNETES_PERMISSIONS } from "#lib/doctor/permissions.ts";

const test = suite("KUBERNETES_PERMISSIONS");

// test/deploy/cluster-role.test.ts tests that all permissions are needed and sufficient.
test("has no duplicates", () => {
  const names = KUBERNETES_PERMISSIONS.map(({ verb, group, resource }) => `${verb} ${resource} ${group}`);
  assert.equal(names.filter((name, index) => names.indexOf(name) !== index), []);
});

test.run();
