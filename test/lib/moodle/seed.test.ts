import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { HUB_SETTINGS_OBJECTS, listSeedNotes, NO_HUB_SETTINGS, readHubSettings } from "#lib/moodle/seed.ts";
import { builtIn, find, hubInputsOf, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
const requested = inputsOf(blueprint, {
  identity: true,
  content: true,
  brand: { name: "ocean", theme: null },
  seed: { name: "demo", courses: null },
});

function room(kind: string, name: string, data: Record<string, string>): KubeObject {
  const encoded = Object.entries(data).map((
    [key, value],
  ) => [key, btoa(String.fromCharCode(...new TextEncoder().encode(value)))]);
  return { apiVersion: "v1", kind, metadata: { name }, data: kind === "Secret" ? Object.fromEntries(encoded) : data };
}

const IDENTITY = { url: "https://idp.example.org/realms/x", clientId: "moodle", name: "Campus" };
const COURSE = { shortname: "BIO", backup: { url: "https://files.example.org/bio.mbz", sha256: "a".repeat(64) } };
const full = readHubSettings([
  room("ConfigMap", "identity", IDENTITY),
  room("Secret", "identity", { clientSecret: "pä$$ ${x}" }),
  room("ConfigMap", "content", { courses: JSON.stringify([COURSE]) }),
  room("ConfigMap", "brand", { color: "#00446a" }),
]);

const read = suite("readHubSettings");

read("reads the hub's settings, and decodes Secrets", () => {
  assert.equal(full.problems, []);
  assert.is(full.identity?.clientSecret, "pä$$ ${x}");
  assert.is(full.identity?.scopes, "openid profile email");
  assert.equal(full.courses, [COURSE]);
  assert.equal(full.brand, { color: "#00446a" });
});

read("reports no problem for empty or missing settings", () => {
  const made = blueprint.hubObjects(hubInputsOf(blueprint), "settings");
  assert.equal(readHubSettings(made), NO_HUB_SETTINGS);
  assert.equal(readHubSettings([null, null, null, null]), NO_HUB_SETTINGS);
});

read("reads the objects that a hub contains", () => {
  const made = blueprint.hubObjects(hubInputsOf(blueprint), "settings");
  for (const { kind, name } of HUB_SETTINGS_OBJECTS) assert.ok(find(made, kind, name));
});

read("reports settings that cannot be used, and skips them", () => {
  const settings = readHubSettings([
    room("ConfigMap", "identity", IDENTITY),
    room("ConfigMap", "content", { courses: '[{"shortname": 1}]' }),
    room("ConfigMap", "brand", { color: "red; } body {" }),
  ]);
  assert.equal([settings.identity, settings.courses, settings.brand], [null, null, null]);
  assert.is(settings.problems.length, 3);
  assert.match(settings.problems[0]!, /identity settings are incomplete/);
  assert.match(settings.problems[1]!, /courses 0\.shortname must be text/);
  assert.match(settings.problems[2]!, /color must be a colour/);
});

read("rejects URLs and texts that Moodle does not accept", () => {
  const identity = (changes: Record<string, string>, secret = "s") =>
    readHubSettings([
      room("ConfigMap", "identity", { ...IDENTITY, ...changes }),
      room("Secret", "identity", { clientSecret: secret }),
    ]);
  for (
    const [changes, word] of [
      [{ url: "http://idp.example.org" }, /url must be an https URL/],
      [{ url: "idp" }, /url must be an https URL/],
      [{ tokenEndpoint: "http://idp.example.org/token" }, /tokenEndpoint must be an https URL/],
      [{ name: "" }, /name is empty/],
      [{ name: "x".repeat(256) }, /name is empty, too long/],
      [{ clientId: "a\u0000b" }, /clientId is empty/],
    ] as const
  ) {
    const { identity: found, problems } = identity(changes);
    assert.is(found, null);
    assert.match(problems.join(), word);
    assert.not.match(problems.join(), /x{256}/, "what was wrong is not repeated");
  }
  assert.is(identity({}, "x".repeat(1001)).identity, null);
  assert.is(identity({ url: "", authorizationEndpoint: "" }).identity, null);
});

read("reads a logo, and rejects one without URL and hash", () => {
  const logo = { url: "https://files.example.org/logo.png", sha256: "b".repeat(64) };
  assert.equal(readHubSettings([room("ConfigMap", "brand", { logo: JSON.stringify(logo) })]).brand, { logo });
  for (const bad of ["logo.png", "[]", JSON.stringify({ ...logo, sha256: "b" })]) {
    const { brand, problems } = readHubSettings([room("ConfigMap", "brand", { logo: bad })]);
    assert.equal([brand, problems.length], [null, 1], bad);
  }
});

const notes = suite("seedNotes");

notes("lists each requested setting that is not configured", () => {
  const all = listSeedNotes(requested, NO_HUB_SETTINGS).join("\n");
  for (const word of [/Single sign-on/, /shared content/, /brand ocean/, /seed demo/, /no mail/]) {
    assert.match(all, word);
  }
  const mail = { host: "m.example.org", port: 587, user: null, from: "a@example.org" };
  assert.equal(listSeedNotes(inputsOf(blueprint, { mail }), NO_HUB_SETTINGS), []);
  const expected = { ...requested, mail, seed: { name: "demo", courses: [] } };
  assert.equal(listSeedNotes(expected, full), []);
});

const objects = suite("the seed's objects");

objects("contain the settings that are requested and configured", () => {
  const made = blueprint.spokeObjects(
    { ...requested, seed: { name: "demo", courses: [{ shortname: "DEMO" }] } },
    "seed",
    full,
  );
  const { data } = find(made, "ConfigMap", "seed") as unknown as { data: Record<string, string> };
  assert.is(data["SEED_ISSUER_NAME"], "Campus");
  assert.is(data["SEED_BRAND_COLOR"], "#00446a");
  assert.equal(JSON.parse(data["SEED_COURSES"]!), [{ shortname: "DEMO" }, COURSE]);
  assert.is(find(made, "Secret", "seed")["stringData"].SEED_ISSUER_CLIENT_SECRET, "pä$$ ${x}");
  assert.not.match(JSON.stringify(data), /pä/, "the secret is in the Secret alone");
});

objects("contain no hub settings that were not requested", () => {
  const made = blueprint.spokeObjects(inputsOf(blueprint), "seed", full);
  const { data } = find(made, "ConfigMap", "seed") as unknown as { data: Record<string, string> };
  assert.equal(Object.keys(data).sort(), ["SEED_ADMIN_EMAIL", "SEED_MAIL", "SEED_TITLE"]);
  assert.is(find(made, "Secret", "seed")["stringData"].SEED_ISSUER_CLIENT_SECRET, "");
});

objects(
  "contain the unchanged scripts, which read every setting",
  () => {
    const scripts = find(blueprint.spokeObjects(requested, "seed"), "ConfigMap", "seed-script")["data"];
    const script = scripts["seed.php"];
    const names = ["seed.php", "courses.php", "sign-on.php", "client.php"];
    assert.equal(scripts, Object.fromEntries(names.map((name) => [name, builtIn()[name]])));
    for (const [, name] of builtIn()["seed.yaml"]!.matchAll(/SEED_([A-Z_]+):/g)) {
      assert.ok(
        `${script}${scripts["sign-on.php"]}`.includes(`setting('${name}')`),
        name,
      );
    }
    assert.match(script, /mtrace\('seeded'\);\n$/);
  },
);

objects("pass settings as files, and only secrets as environment variables", () => {
  const theme = { scss: "学".repeat(50_000), logo: { url: "https://x.example.org/a.png", sha256: "c".repeat(64) } };
  const inputs = inputsOf(blueprint, { brand: { name: "ocean", theme } });
  const { data } = find(blueprint.spokeObjects(inputs, "seed"), "ConfigMap", "seed");
  assert.equal([data.SEED_BRAND_SCSS, JSON.parse(data.SEED_BRAND_LOGO)], [theme.scss, theme.logo]);
  const { containers: [{ env = [], envFrom, volumeMounts }], volumes } =
    blueprint.jobObject(inputs, "seed", "1")["spec"]
      .template.spec;
  assert.equal([...env, ...envFrom].flatMap((each: object) => Object.keys(each)), ["secretRef", "secretRef"]);
  const from = (path: string) => {
    const { name } = volumeMounts.find((mount: { mountPath: string }) => mount.mountPath === path);
    return volumes.find((volume: { name: string }) => volume.name === name).configMap.name;
  };
  assert.equal([from("/settings"), from("/seed")], ["seed", "seed-script"]);
  assert.match(builtIn()["seed.php"]!, /\$file = '\/settings\/SEED_' \. \$name;/);
});

objects("turn mail on if a relay is configured", () => {
  const mail = { host: "m.example.org", port: 587, user: null, from: "a@example.org" };
  const made = blueprint.spokeObjects(inputsOf(blueprint, { mail }), "seed");
  assert.is(find(made, "ConfigMap", "seed")["data"].SEED_MAIL, "on");
});

read.run();
notes.run();
objects.run();
