import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  buildVersionAndVolumesFromBackup,
  extractVersionAndVolumes,
  replaceVersionAndVolumes,
} from "#lib/moodle/site-base.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const inputs = inputsOf(openBlueprint()), GI = 2 ** 30;
const IMAGES = { moodle: "moodle:v4.1.2", postgres: "postgres:17.1", fpmDirectory: "/etc/php81" };
const BACKUP_FACTS = { lmsVersion: "4.1.2", images: IMAGES, minimumSizes: { files: 3 * GI, database: null } };

const test = suite("buildVersionAndVolumesFromBackup");

test("returns the backup's version and Moodle image, the spoke's PostgreSQL image, and new PVCs", () => {
  const base = buildVersionAndVolumesFromBackup(inputs, BACKUP_FACTS, "turn123456");
  assert.equal([base.version, base.images], ["4.1.2", { ...IMAGES, postgres: inputs.images.postgres }]);
  assert.equal([base.claims, base.origin], [
    { files: "files-turn123456", data: "data-turn123456" },
    { adoptionId: "turn123456", identity: "same" },
  ]);
  assert.equal(base.disks, inputs.resources.disks, "which hold the snapshots");
});

test("uses the spoke's values for a backup without recorded facts", () => {
  const { version, images } = buildVersionAndVolumesFromBackup(
    inputs,
    { ...BACKUP_FACTS, lmsVersion: null, images: null },
    "turn123456",
  );
  assert.equal([version, images], [inputs.version, inputs.images]);
});

test("enlarges the disks for the backup", () => {
  const { disks } = buildVersionAndVolumesFromBackup(
    inputs,
    { ...BACKUP_FACTS, minimumSizes: { files: 900 * GI, database: 1 } },
    "turn123456",
  );
  assert.equal(disks, { files: "900Gi", database: inputs.resources.disks.database });
});

test("can be reverted with the previous base", () => {
  const after = replaceVersionAndVolumes(inputs, buildVersionAndVolumesFromBackup(inputs, BACKUP_FACTS, "turn123456"));
  assert.equal([after.version, after.claims?.files], ["4.1.2", "files-turn123456"]);
  assert.equal(replaceVersionAndVolumes(after, extractVersionAndVolumes(inputs)), inputs);
  assert.equal(
    extractVersionAndVolumes(replaceVersionAndVolumes(inputs, extractVersionAndVolumes(after))),
    extractVersionAndVolumes(after),
  );
});

test("keeps the spoke's size, names and settings", () => {
  const { version: _, images: __, claims: ___, origin: ____, ...rest } = replaceVersionAndVolumes(
    inputs,
    buildVersionAndVolumesFromBackup(inputs, BACKUP_FACTS, "turn123456"),
  );
  const { version: _1, images: _2, ...own } = inputs;
  assert.equal(rest, own);
});

test.run();
