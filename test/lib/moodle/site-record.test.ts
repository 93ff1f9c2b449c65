/** Tests that site records from the first release stay readable. Without them, a lost database cannot be rebuilt. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseRecordJson, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { builtIn, inputsOf } from "#test/lib/moodle/fixtures.ts";

const AT = "2026-11-21T12:00:00.000Z";
/** The fields of a site record in release 0.1.0. Do not change them when a field is added. */
const RECORD = {
  ...{ id: "spk_06fj2c6b1hz4e8s7y2p5t9w3ka", federationId: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg", slug: "ash" },
  ...{ displayName: "Ash school", domain: "ash.example.org", size: "small", lmsVersion: "4.5.12" },
  ...{ adminEmail: "ada@example.org", region: null, brand: "ocean", seed: null, identity: false, content: true },
  ...{ contentMode: "linked", mail: "on", state: "active", stateReason: null, maintenance: false, imageDigest: null },
  ...{ namespace: "spoke-main-ash-s7y2p5t9w3ka", copyOf: null, fromBackup: null, siteIdentifier: "a1b2" },
  ...{ blueprintRevision: "9be27d40c1f8", createdBy: "usr_06fj2bx9q3n6m1v8c4d7r5z2je" },
  ...{ createdAt: AT, updatedAt: AT, readyAt: AT },
};

const test = suite("SpokeSiteRecord");
const read = (record: object) =>
  parseRecordJson(
    SpokeSiteRecord,
    JSON.stringify({ ...record, blueprintInputs: inputsOf(createBlueprint(builtIn())) }),
  );

test("accepts a record of release 0.1.0", () => {
  const found = read(RECORD);
  assert.equal([found?.displayName, found?.brand, found?.contentMode, found?.readyAt], [
    "Ash school",
    "ocean",
    "linked",
    new Date(AT),
  ]);
});

test("sets nullable fields that are missing from a record to null", () => {
  const { brand: _, seed: __, imageDigest: ___, ...rest } = RECORD, found = read(rest);
  assert.equal([found?.brand, found?.seed, found?.imageDigest], [null, null, null]);
});

test("rejects a record without a field that must have a value", () => {
  const { size: _, ...rest } = RECORD;
  assert.is(read(rest), null);
});

test.run();
