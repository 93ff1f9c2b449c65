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

const described = (from: SpokeRow, to: SpokeSiteRecord, requested?: ReadonlySet<string>, isSame = true): string =>
  describeChanges(listChangedSpokeFields(from, to, { state: to.state, requested }), to, isSame);

const test = suite("changed fields");

test("names each field with what it was and is", () => {
  const after = { ...record, size: "medium", state: "suspended", fromBackup: "b1" } as SpokeSiteRecord;
  assert.is(described(row, after), " (size small → medium) (fromBackup none → b1) (state active → suspended)");
});

test("leaves out a field that was requested after the restore", () => {
  const after = { ...record, size: "medium", mail: "held" } as SpokeSiteRecord;
  assert.is(described(row, after, new Set(["size"])), " (mail on → held)");
});

test("names the manifests' inputs where nothing else differs, whatever the order of their keys", () => {
  const { claims: _, ...rest } = record.blueprintInputs as Record<string, unknown>;
  const after = { ...record, blueprintInputs: { claims: { files: "files-2", data: "data-2" }, ...rest } };
  assert.is(described(row, after as SpokeSiteRecord), " (manifests: claims)");
  const turned = { claims: { data: "data", files: "files" }, ...rest };
  assert.match(described(row, { ...record, blueprintInputs: turned } as SpokeSiteRecord), "no field differs");
});

test("says that nothing differs, of when the record is, and that the namespace is another one", () => {
  assert.is(described(row, record), " (no field differs; the site record is from 2026-11-25T12:00:00.000Z)");
  assert.is(described(row, record, undefined, false), " (namespace recreated)");
});

test("cuts long values", () => {
  const text = described(row, { ...record, seed: "x".repeat(500) } as SpokeSiteRecord);
  assert.is(text, ` (seed none → ${"x".repeat(60)}…)`);
});

test("names the fields of a hub", () => {
  const hub = { slug: "north", name: "North", region: null, mode: null, tier: null, readyAt: AT, state: "active" };
  const changed = listChangedHubFields(
    hub as unknown as FederationRow,
    { ...hub, name: "Northern", region: "eu" } as unknown as HubSiteRecord,
    { state: "active", requested: new Set(["name"]) },
  );
  assert.is(describeChanges(changed, { updatedAt: AT }, true), " (region none → eu)");
});

test.run();
