/** Tests mistakes and attacks in BLUEPRINT_DIR. Each is reported with its file and field. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { builtIn, edited, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ directory: string }>("BLUEPRINT_DIR");
const blueprint = openBlueprint();

test.before.each(async (context) => {
  context.directory = await mkdtemp(join(tmpdir(), "wheelwright-blueprint-"));
});
test.after.each(({ directory }) => rm(directory, { recursive: true }));

async function refusal(directory: string, files: Record<string, string | Uint8Array> = {}): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const error = await rejection(loadBlueprint(builtIn(), directory));
  assert.is(error.name, "ConfigError", error.stack);
  return error.message;
}

const BOMB = ["a: &a [x, x, x, x, x, x, x, x, x]"].concat(
  [..."bcdefghi"].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[i]}`).join(", ")}]`),
).join("\n");

const MISTAKES: readonly (readonly [what: string, file: string, text: string, message: RegExp])[] = [
  ["aliases of aliases", "sizes.yaml", BOMB, /sizes\.yaml: Excessive alias count/],
  ["aliases of aliases in a manifest", "cron.yaml", BOMB, /cron\.yaml: Excessive alias count/],
  ["an alias of itself", "images.yaml", "a: &a [*a]", /images\.yaml: Converting circular structure/],
  ["an alias of itself in a manifest", "cron.yaml", "a: &a [*a]", /cron\.yaml: Converting circular structure/],
  ["a tag", "sizes.yaml", "default: !!js/function small", /sizes\.yaml: Unresolved tag/],
  [
    "a tag in a manifest",
    "mail.yaml",
    builtIn()["mail.yaml"]!.replace("name: mail", "name: !secret mail"),
    /mail\.yaml: Unresolved tag/,
  ],
  [
    "a merge key",
    "surroundings.yaml",
    "<<: { ingressClass: nginx }",
    /surroundings\.yaml: ingressClass is missing[^]*<< is an unknown field/,
  ],
  ["nesting without end", "sizes.yaml", "[".repeat(200_000), /sizes\.yaml: /],
  ["two documents of settings", "images.yaml", "a: 1\n---\nb: 2", /images\.yaml: must contain exactly one document/],
  ["an empty manifest", "app.yaml", "# nothing\n", /app\.yaml: must contain the Deployment moodle/],
  ["an empty file of settings", "sizes.yaml", "", /sizes\.yaml: /],
  [
    "another kind",
    "database.yaml",
    edited("database.yaml", "kind: StatefulSet", "kind: Deployment")["database.yaml"]!,
    /database\.yaml: must contain the StatefulSet db/,
  ],
  [
    "another name",
    "cron.yaml",
    edited("cron.yaml", "name: moodle-cron", "name: cron")["cron.yaml"]!,
    /cron\.yaml: must contain the CronJob moodle-cron/,
  ],
  [
    "no quota",
    "limits.yaml",
    edited("limits.yaml", "kind: ResourceQuota", "kind: Quota")["limits.yaml"]!,
    /limits\.yaml: must contain a ResourceQuota/,
  ],
  [
    "an object twice",
    "files.yaml",
    `${builtIn()["files.yaml"]}---\n${builtIn()["files.yaml"]}`,
    /files\.yaml: duplicate PersistentVolumeClaim files/,
  ],
  [
    "an object of another file",
    "cron.yaml",
    `${builtIn()["cron.yaml"]}---\n{ apiVersion: v1, kind: Secret, metadata: { name: moodle } }`,
    /duplicate Secret moodle; it is also in (cron|secrets)\.yaml/,
  ],
  [
    "replicas of the site",
    "app.yaml",
    edited("app.yaml", "  strategy:", "  replicas: 1\n  strategy:")["app.yaml"]!,
    /app\.yaml: Deployment moodle: remove spec\.replicas/,
  ],
  [
    "replicas of the database",
    "database.yaml",
    edited("database.yaml", "  serviceName: db", "  replicas: 1\n  serviceName: db")["database.yaml"]!,
    /StatefulSet db: remove spec\.replicas/,
  ],
  [
    "cron turned off",
    "cron.yaml",
    edited("cron.yaml", "  concurrencyPolicy", "  suspend: true\n  concurrencyPolicy")["cron.yaml"]!,
    /CronJob moodle-cron: remove spec\.suspend/,
  ],
];
for (const [what, file, text, message] of MISTAKES) {
  test(`is rejected for ${what}, with file and field`, async ({ directory }) => {
    const refused = await refusal(directory, { [file]: text });
    assert.match(refused, message);
    assert.ok(refused.includes(directory), "it says which directory");
  });
}

test("is rejected for a file that is too large, before the file is read", async ({ directory }) => {
  const message = await refusal(directory, { "seed.php": "x".repeat(10 * 2 ** 20) });
  assert.match(message, /seed\.php cannot be read: it has 10485760 bytes; the maximum is 1048576/);
});

test("is rejected for a file that is not UTF-8", async ({ directory }) => {
  assert.match(
    await refusal(directory, { "sizes.yaml": new Uint8Array([0x61, 0xff, 0xfe]) }),
    /sizes\.yaml cannot be read: it is not valid UTF-8/,
  );
});

test("is rejected for a directory or broken link instead of a file", async ({ directory }) => {
  await mkdir(join(directory, "app.yaml"));
  await symlink(join(directory, "nowhere"), join(directory, "cron.yaml"));
  const message = await refusal(directory);
  assert.match(message, /app\.yaml cannot be read: it is a directory/);
  assert.match(message, /cron\.yaml cannot be read: no such file or directory/);
});

test("is rejected if it is a file", async ({ directory }) => {
  const error = await rejection(loadBlueprint(builtIn(), join(directory, "..", "wheelwright-no-such-directory")));
  assert.match(error.message, /BLUEPRINT_DIR points to a directory that cannot be read/);
  await writeFile(join(directory, "x"), "");
  assert.match(
    (await rejection(loadBlueprint(builtIn(), join(directory, "x")))).message,
    /cannot be read: not a directory$/,
  );
});

test("may contain links, as a mounted ConfigMap does, and Windows line endings", async ({ directory }) => {
  const text = builtIn()["surroundings.yaml"]!.replace("ingressClass: nginx", "ingressClass: traefik");
  await mkdir(join(directory, "..data"));
  await writeFile(join(directory, "..data", "surroundings.yaml"), text.replaceAll("\n", "\r\n"));
  await symlink(join("..data", "surroundings.yaml"), join(directory, "surroundings.yaml"));
  await writeFile(join(directory, "seed.php"), "<?php\r\n// mine\r\n");
  const made = await loadBlueprint(builtIn(), directory);
  assert.is(made.surroundings.ingressClass, "traefik");
  assert.is.not(made.revision, blueprint.revision);
});

test("may use YAML aliases", async ({ directory }) => {
  const cron = "cron: { requests: { cpu: 100m, memory: 256Mi }, limits: { cpu: 500m, memory: 768Mi } }";
  const text = builtIn()["sizes.yaml"]!.replace(cron, cron.replace("cron: ", "cron: &cron ")).replace(
    cron,
    "cron: *cron",
  );
  assert.ok(text.includes("cron: *cron"));
  await writeFile(join(directory, "sizes.yaml"), text);
  assert.equal((await loadBlueprint(builtIn(), directory)).sizes, blueprint.sizes);
});

test.run();
