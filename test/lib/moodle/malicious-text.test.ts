/** Tests that text of users cannot change the structure of manifests. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { parse, stringify } from "yaml";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { allObjects, find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("a malicious display name");
const blueprint = openBlueprint();

const NAMES = [
  '"; kind: Secret',
  "${DATABASE_PASSWORD} ${HOST} $${HOST}",
  "$(DB_PASS) $(ADMIN_PASSWORD)",
  "one\ntwo: three\n---\nkind: Secret",
  "'; drop schema public cascade; --",
  "`reboot` && $(reboot) | tee; *",
  "{{ .Values }} <?php exec('x'); ?>",
  "null",
  "true",
  "~",
  "12",
  "$& $1 $' Grüße 学校 🎓",
];

for (const displayName of NAMES) {
  test(`stays one string: ${JSON.stringify(displayName)}`, () => {
    const objects = allObjects(blueprint, inputsOf(blueprint, { displayName }));
    const seed = find(objects, "ConfigMap", "seed");
    assert.is(seed["data"].SEED_TITLE, displayName);
    assert.is(parse(stringify(seed))["data"].SEED_TITLE, displayName);
    const plain = allObjects(blueprint, inputsOf(blueprint, { displayName: "x" }));
    const others = (list: typeof objects) => list.filter(({ metadata }) => metadata.name !== "seed");
    assert.equal(others(objects), others(plain), "it is nowhere else");
  });
}

test("appears only in the seed's ConfigMap, like a malicious theme or brand", () => {
  const scss = "$(DB_PASS) ${HOST}";
  const brand = { name: scss, theme: { scss } };
  const objects = allObjects(
    blueprint,
    inputsOf(blueprint, { brand, contentMode: scss, seed: { name: scss, courses: null } }),
  );
  const holders = objects.filter((object) => JSON.stringify(object).includes("DB_PASS) ${HOST}"));
  assert.equal(holders.map(({ kind, metadata }) => `${kind}/${metadata.name}`), ["ConfigMap/seed"]);
});

const inputs = suite("SpokeInputs");

inputs("rejects unsafe values in all fields except titles", () => {
  const good = inputsOf(blueprint);
  assert.ok(v.is(SpokeInputs, good));
  const mail = { host: "mail.example.org", port: 587, user: "u", from: "a@example.org" };
  const bad: Partial<Record<keyof SpokeInputs, unknown>>[] = [
    { slug: "a b" },
    { slug: "$(DB_PASS)" },
    { host: "a.example.org\nHost: other" },
    { host: "*.example.org" },
    { namespace: "kube system" },
    { namespace: "x".repeat(64) },
    { federationId: "-fed" },
    { version: "4.5:evil" },
    { displayName: "a\u0000b" },
    { displayName: "" },
    { mail: { ...mail, host: "mail example" } },
    { mail: { ...mail, user: "a;b" } },
    { mail: { ...mail, port: 0 } },
    { images: { ...good.images, moodle: "image --privileged" } },
    { brand: { name: "b", theme: { color: "red; }" } } },
    {
      seed: { name: "s", courses: [{ shortname: "X", backup: { url: "file:///etc/passwd", sha256: "0".repeat(64) } }] },
    },
  ];
  for (const change of bad) assert.not.ok(v.is(SpokeInputs, { ...good, ...change }), JSON.stringify(change));
});

inputs("ignores unknown fields, which a later release may add", () => {
  const good = inputsOf(blueprint);
  const later = {
    ...good,
    more: 1,
    surroundings: { ...good.surroundings, more: 1 },
    resources: { ...good.resources, more: 1 },
  };
  assert.equal(v.parse(SpokeInputs, later), good);
});

inputs("survives a round trip through JSON", () => {
  const good = inputsOf(blueprint, { displayName: NAMES.join(" ") });
  assert.equal(v.parse(SpokeInputs, JSON.parse(JSON.stringify(good))), good);
});

test.run();
inputs.run();
