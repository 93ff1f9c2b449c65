import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint, loadBlueprint } from "#lib/moodle/blueprint.ts";
import { builtIn, edited, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { rejection } from "#test/support/until.ts";

const blueprint = openBlueprint();

const load = suite("createBlueprint");

const REFUSALS: readonly (readonly [why: string, files: ReturnType<typeof builtIn>, message: RegExp])[] = [
  [
    "an unknown placeholder",
    edited("app.yaml", "${MOODLE_IMAGE}", "${MODLE_IMAGE}"),
    /app\.yaml: Deployment moodle: spec\.template\.spec\.initContainers\.1\.image: unknown placeholder \$\{MODLE_IMAGE\}/,
  ],
  [
    "a password in an applied file",
    edited("settings.yaml", "${SLUG}", "${DATABASE_PASSWORD}"),
    /settings\.yaml: ConfigMap moodle-env: data\.MOODLE_SITENAME: unknown placeholder/,
  ],
  ["broken YAML", builtIn({ "cron.yaml": "a: [" }), /cron\.yaml: .* line 1/],
  [
    "a document without a name",
    edited("files.yaml", '  name: "${FILES_CLAIM}"\n', ""),
    /files\.yaml: each document needs apiVersion/,
  ],
  [
    "a namespace of its own",
    edited("files.yaml", '  name: "${FILES_CLAIM}"\n', "  name: files\n  namespace: default\n"),
    /remove metadata\.namespace/,
  ],
  [
    "a Namespace where none belongs",
    builtIn({ "files.yaml": "{ apiVersion: v1, kind: Namespace, metadata: { name: x } }" }),
    /no Namespace/,
  ],
  [
    "a Job without its fence",
    edited("reset-job.yaml", "reset-${FENCE}", "reset"),
    /reset-job\.yaml: the Job's metadata\.name must end/,
  ],
  [
    "a Job among applied objects",
    builtIn({ "cron.yaml": "{ apiVersion: batch/v1, kind: Job, metadata: { name: x } }" }),
    /cron\.yaml: must not contain a Job/,
  ],
  [
    "a size that its quota cannot hold",
    edited(
      "sizes.yaml",
      'limits: { cpu: "4", memory: 4Gi }\n      storage: 40Gi',
      'limits: { cpu: "3", memory: 4Gi }\n      storage: 20Gi',
    ),
    /sizes\.small: the quota for limits\.cpu is 3, but 3400m is needed[^]*the quota for requests\.storage is 20Gi, but 30Gi/,
  ],
  [
    "a mistyped amount",
    edited("sizes.yaml", "cpu: 250m", "cpu: 250q"),
    /sizes\.yaml: sizes\.small\.app\.requests\.cpu must be a quantity/,
  ],
  [
    "a mistyped key",
    edited("sizes.yaml", "workers: 8", "worker: 8"),
    /sizes\.yaml: sizes\.small\.workers is missing[^]*sizes\.small\.worker is an unknown field/,
  ],
  [
    "a PostgreSQL that is too old",
    edited("images.yaml", "postgres:17-alpine", "postgres:15-alpine"),
    /versions\.5\.2\.2 needs PostgreSQL 16/,
  ],
  [
    "no version that is no preview",
    edited("images.yaml", "    postgres: 13", "    preview: true\n    postgres: 13"),
    /images\.yaml: versions at least one version must not be a preview/,
  ],
];
for (const [why, files, message] of REFUSALS) {
  load(`rejects ${why}`, () => {
    assert.throws(
      () => createBlueprint(files),
      (error: Error) => error.name === "ConfigError" && message.test(error.message),
    );
  });
}

load("reports all problems together", () => {
  const files = { ...builtIn(), "cron.yaml": "a: [", "sizes.yaml": "{}" };
  assert.throws(() => createBlueprint(files), /cron\.yaml[^]*sizes\.yaml/);
});

const overlay = suite("loadBlueprint");

async function withDirectory(files: Record<string, string>, use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-blueprint-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

overlay(
  "replaces built-in files with those of a directory, and ignores hidden entries",
  () =>
    withDirectory({
      "surroundings.yaml": builtIn()["surroundings.yaml"]!.replace("ingressClass: nginx", "ingressClass: traefik"),
    }, async (directory) => {
      await mkdir(join(directory, "..data"));
      const replaced = await loadBlueprint(builtIn(), directory);
      assert.is(replaced.surroundings.ingressClass, "traefik");
      assert.equal(replaced.sizes, blueprint.sizes, "what is not replaced stays");
    }),
);

overlay(
  "rejects an unknown file name",
  () =>
    withDirectory({ "size.yaml": "{}" }, async (directory) => {
      const error = await rejection(loadBlueprint(builtIn(), directory));
      assert.is(error.name, "ConfigError");
      assert.match(error.message, /BLUEPRINT_DIR contains the unknown file size\.yaml\. Allowed files: .*sizes\.yaml/);
    }),
);

overlay("rejects a directory that cannot be read", async () => {
  const error = await rejection(loadBlueprint(builtIn(), join(tmpdir(), "wheelwright-not-there")));
  assert.is(error.name, "ConfigError");
  assert.match(error.message, /BLUEPRINT_DIR points to a directory that cannot be read/);
});

load.run();
overlay.run();
