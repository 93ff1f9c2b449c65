import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mapRoles } from "#lib/openid/roles.ts";

const test = suite("mapRoles");

const settings = {
  rolesFrom: "groups",
  roles: {
    "wheelwright-operators": "operator",
    "north-*": { hubAdmin: "north" },
    "hub-*": { hubAdmin: "*" },
  },
} as const;

test("maps groups in full, and by a prefix", () => {
  const map = (groups: unknown) => mapRoles(settings, { groups });
  assert.equal(map(["wheelwright-operators"]), { operator: true, hubs: [] });
  assert.equal(map(["north-staff", "hub-south", "hub-east"]), { operator: false, hubs: ["east", "north", "south"] });
  assert.equal(map("north-1"), { operator: false, hubs: ["north"] });
});

test("gives no role for groups that only look similar", () => {
  const groups = [
    "Wheelwright-Operators",
    "wheelwright-operators ",
    "wheelwright-operators2",
    "north-",
    "north",
    "hub-",
  ];
  assert.equal(mapRoles(settings, { groups }), { operator: false, hubs: [] });
  assert.equal(mapRoles(settings, { groups: ["hub-*", "hub-../x", "hub-A", "hub-a b"] }).hubs, []);
});

test("ignores claims of other types, and names of object properties", () => {
  for (
    const groups of [undefined, null, 7, true, { 0: "wheelwright-operators" }, [["wheelwright-operators"], 1, null]]
  ) {
    assert.equal(mapRoles(settings, { groups }), { operator: false, hubs: [] });
  }
  assert.equal(mapRoles({ ...settings, rolesFrom: "constructor" }, {}), { operator: false, hubs: [] });
  assert.equal(mapRoles({ rolesFrom: "groups", roles: {} }, { groups: ["constructor", "__proto__"] }).hubs, []);
});

test("limits the number of groups and hubs", () => {
  const groups = Array.from({ length: 5000 }, (_, i) => `hub-h${i}`);
  assert.is(mapRoles(settings, { groups: [...groups, "wheelwright-operators"] }).hubs.length, 100);
  assert.is(mapRoles(settings, { groups: [...groups, "wheelwright-operators"] }).operator, false);
});

test.run();
