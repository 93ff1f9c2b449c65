/** Tests what a blueprint needs to create a site from snapshots, and that site's inputs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enlargeDisksToSnapshotSize, findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import type { BlueprintFiles } from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { getAdoptionId, getSitePvcNames } from "#lib/moodle/names.ts";
import { createId } from "#lib/base/ids.ts";
import * as v from "valibot";
import { SpokeInputs as Schema } from "#lib/moodle/inputs.ts";
import { allObjects, builtIn, edited, find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
const origin = { adoptionId: "k5r2dg7w1x", identity: "new" } as const;
const claims = { files: "files-k5r2dg7w1x", data: "data-k5r2dg7w1x" };
const copy = (changes: Partial<SpokeInputs> = {}) => inputsOf(blueprint, { origin, ...changes });

const lack = suite("findOriginProblem");

lack("accepts the built-in blueprint with any PVC names", () => {
  assert.is(findSnapshotBlueprintProblem(blueprint, copy()), null);
  assert.is(findSnapshotBlueprintProblem(blueprint, copy({ claims })), null);
});

const literal = (file: string, placeholder: string, name: string) => edited(file, `"\${${placeholder}}"`, name);
for (
  const [what, files, changes, words] of [
    [
      "makes no database its own",
      edited("database.yaml", 'initContainers: ["${ADOPT_DATABASE}"]', ""),
      {},
      /StatefulSet db/,
    ],
    ["makes no files its own", edited("app.yaml", '- "${ADOPT_FILES}"', ""), {}, /Deployment moodle .*ADOPT_FILES/],
    [
      "names the claim of the files in a Job",
      literal("purge-job.yaml", "FILES_CLAIM", "files"),
      { claims },
      /Job purge .*files/,
    ],
    [
      "names the claim of the files",
      literal("files.yaml", "FILES_CLAIM", "files"),
      { claims },
      /PersistentVolumeClaim files/,
    ],
    [
      "names the template of the database's claim",
      builtIn({ "database.yaml": builtIn()["database.yaml"]!.replaceAll('"${DATA_CLAIM_TEMPLATE}"', "data") }),
      { claims },
      /StatefulSet db .*data-db-0/,
    ],
  ] as [string, BlueprintFiles, Partial<SpokeInputs>, RegExp][]
) {
  lack(`rejects a blueprint that ${what}`, () => {
    assert.match(findSnapshotBlueprintProblem(createBlueprint(files), copy(changes))!, words);
  });
}

lack("accepts literal PVC names if they are the default names", () => {
  assert.is(findSnapshotBlueprintProblem(createBlueprint(literal("files.yaml", "FILES_CLAIM", "files")), copy()), null);
});

lack.run();

const room = suite("enlargeDisksToSnapshotSize");
const GI = 2 ** 30;

room("keeps disks that are large enough for the snapshots", () => {
  assert.equal(enlargeDisksToSnapshotSize(copy(), { files: 10 * GI, database: null }), copy());
});

room("enlarges the disks, the quota and the disk limit for larger snapshots", () => {
  const { resources, madeDatabaseDisk } = enlargeDisksToSnapshotSize(copy(), { files: 70 * GI, database: 6 * GI + 1 });
  assert.equal(resources.disks, { files: "70Gi", database: "6145Mi" });
  assert.is(madeDatabaseDisk, undefined, "the StatefulSet is made with the disk that there is");
  assert.equal(blueprint.quotaUsage({ ...copy(), resources }).problems, []);
});

room.run();

const inputs = suite("SpokeInputs with an origin");

inputs("survive JSON, with the adoption ID of any operation", () => {
  const original = copy({
    claims,
    mailHeld: true,
    origin: { adoptionId: getAdoptionId(createId("op")), identity: "same" },
  });
  assert.equal(v.parse(Schema, JSON.parse(JSON.stringify(original))), original);
});

inputs("determine the PVC names, or use the default names", () => {
  assert.equal(getSitePvcNames(inputsOf(blueprint)), { files: "files", database: "data-db-0" });
  assert.equal(getSitePvcNames(copy({ claims })), { files: "files-k5r2dg7w1x", database: "data-k5r2dg7w1x-db-0" });
});

inputs("hold outgoing mail, even if a relay is configured", () => {
  const mail = { host: "relay.example.org", port: 587, user: "biology", from: "noreply@example.org" };
  const held = allObjects(blueprint, copy({ mail, mailHeld: true })), sent = allObjects(blueprint, copy({ mail }));
  const settingsOf = (objects: typeof held) => find(objects, "ConfigMap", "moodle-env")["data"];
  assert.match(settingsOf(held).POST_CONFIGURE_COMMANDS, /noemailever --set=1$/);
  assert.equal([settingsOf(held).SMTP_HOST, find(held, "ConfigMap", "seed")["data"].SEED_MAIL], ["localhost", "off"]);
  assert.match(settingsOf(sent).POST_CONFIGURE_COMMANDS, /noemailever --set=0$/);
});

inputs.run();
