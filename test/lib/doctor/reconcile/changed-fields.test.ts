import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { HubSiteRecord, SpokeSiteRecord } from "#lib/moodle/site-record.ts";
import { describeChanges, listChangedHubFields, listChangedSpokeFields } from "#lib/doctor/reconcile/changed-fields.ts";

const AT = new Date("2026-11-25T12:00:00Z");
const record = {
  ...{
    displayName: "Ash",
    domain: "ash.example",
    size: "small",
    lmsVersion: "4.5.12",
    brand: null,
    adminEmail: "a@b.example",
  },
  ...{ mail: "on", maintenance: false, region: null, seed: null, identity: false, content: false, contentMode: null },
  ...{ siteIdentifier: "s1", fromBackup: null, blueprintRevision: "r1", readyAt: AT, state: "active", updatedAt: AT },
  blueprintInputs: {
    size: "small",
    claims: { files: "files", data: "data" },
    images: { moodle: "m:1", postgres: "p:1" },
  },
} as unknown as SpokeSiteRecord;
const row = structuredClone(record) as unknown as SpokeRow;

const describeDifference = (
  from: SpokeRow,
  to: SpokeSiteRecord,
  requested?: ReadonlySet<string>,
  isSame = true,
): string => describeChanges(listChangedSpokeFields(from, to, { state: to.state, requested }), to, isSame);

const test = suite("changed fields");

test("lists each field with both values", () => {
  const after = { ...record, size: "medium", state: "suspended", fromBackup: "b1" } as SpokeSiteRecord;
  assert.is(describeDifference(row, after), " (size small → medium) (fromBackup none → b1) (state active → suspended)");
});

test("omits fields that were requested after the restore", () => {
  const after = { ...record, size: "medium", mail: "held" } as SpokeSiteRecord;
  assert.is(describeDifference(row, after, new Set(["size"])), " (mail on → held)");
});

test("lists changed inputs if no field differs, regardless of key order", () => {
  const { claims: _, ...rest } = record.blueprintInputs as Record<string, unknown>;
  const after = { ...record, blueprintInputs: { claims: { files: "files-2", data: "data-2" }, ...rest } };
  assert.is(describeDifference(row, after as SpokeSiteRecord), " (manifests: claims)");
  const reordered = { claims: { data: "data", files: "files" }, ...rest };
  assert.match(
    describeDifference(row, { ...record, blueprintInputs: reordered } as SpokeSiteRecord),
    "no field differs",
  );
});

test("reports an unchanged record and a recreated namespace", () => {
  assert.is(describeDifference(row, record), " (no field differs; the site record is from 2026-11-25T12:00:00.000Z)");
  assert.is(describeDifference(row, record, undefined, false), " (namespace recreated)");
});

test("cuts long values", () => {
  const text = describeDifference(row, { ...record, seed: "x".repeat(500) } as SpokeSiteRecord);
  assert.is(text, ` (seed none → ${"x".repeat(60)}…)`);
});

test("lists the fields of a hub", () => {
  const hub = { slug: "north", name: "North", region: null, mode: null, tier: null, readyAt: AT, state: "active" };
  const changed = listChangedHubFields(
    hub as unknown as FederationRow,
    { ...hub, name: "Northern", region: "eu" } as unknown as HubSiteRecord,
    { state: "active", requested: new Set(["name"]) },
  );
  assert.is(describeChanges(changed, { updatedAt: AT }, true), " (region none → eu)");
});

test.run();
