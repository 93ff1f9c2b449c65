/** Tests that a list over many hubs has the right spokes on its pages, whichever index its query uses. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { BeforeCursor } from "#lib/base/schema.ts";
import { listFederations } from "#lib/domains/federations/store.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import { listSpokes } from "#lib/domains/spokes/list.ts";
import type { SpokeQuery, SpokeRow } from "#lib/domains/spokes/store.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const HUBS = 12, SPOKES = 500, LIMIT = 7;
const test = suite<{ db: TestDatabase; hubs: string[]; spokes: SpokeRow[] }>("listSpokes");

test.before(async (context) => {
  const db = context.db = await openTestDatabase(), user = await insertUser(db);
  context.hubs = [];
  for (let i = 0; i < HUBS; i++) context.hubs.push(await insertHub(db, user, `hub-${i}`));
  for (const [i, id] of context.hubs.entries()) {
    await updateRows(db, "federations", { createdAt: new Date(Date.UTC(2025, 0, 1) + i) }, { id });
  }
  const [model] = await selectRows(db, "spokes", { id: await insertSpoke(db, user, context.hubs[0]!, "model") });
  // Groups of three have the same time. The newest spokes are in the first two hubs.
  await db.rows.insertInto("spokes").values(Array.from({ length: SPOKES }, (_, i) => ({
    ...model,
    drift: null,
    policy: null,
    blueprintInputs: "{}",
    id: `spk_${String((i * 7919) % SPOKES).padStart(26, "0")}`,
    federationId: context.hubs[i > 400 ? i % 2 : i % HUBS]!,
    slug: `s-${i}`,
    displayName: i % 100 === 3 ? `Ünique_${i}` : `School ${i}`,
    domain: `${i}.example.org`,
    namespace: `n-${i}`,
    state: i % 9 === 1 ? "removed" as const : i % 50 === 5 ? "failed" as const : "active" as const,
    removedAt: i % 9 === 1 ? model.createdAt : null,
    health: i % 70 === 0 ? "degraded" as const : i % 11 === 0 ? "unknown" as const : "healthy" as const,
    createdAt: new Date(Date.UTC(2025, 0, 1) + Math.floor(i / 3) * 1000),
    lmsVersion: i % 6 === 0 ? "5.0" : "4.5",
    size: i % 90 === 0 ? "large" : "small",
    region: i % 2 === 0 ? "eu-west" : null,
    blueprintRevision: `r${i % 8 === 0 ? 1 : i % 60 === 1 ? 2 : 3}`,
    lastFailedAt: i % 5 === 0 ? new Date(Date.UTC(2025, 5, 1) + Math.floor((i * 7919) % SPOKES / 4) * 1000) : null,
  }))).execute();
  // The sweep updates the percentage of existing spokes.
  await db.sql(`update spokes set storage_percent = case when split_part(slug, '-', 2)::int % 3 = 0
    then 80 + split_part(slug, '-', 2)::int % 20 else split_part(slug, '-', 2)::int % 60 end
    where slug like 's-%' and split_part(slug, '-', 2)::int % 7 <> 0`);
  await db.sql(`insert into spoke_addons (spoke_id, component, version, enabled, federation_id, created_at)
    select spoke_id, component, 1, true, federation_id, created_at from live_spokes
    join (values ('mod_all', 1), ('mod_few', 40)) as addon (component, every) on right(slug, -2)::int % every = 0
    where slug like 's-%'`);
  await updateRows(db, "spokes", { state: "removed", removedAt: model.createdAt }, { id: model.id });
  context.spokes = await selectRows(db, "spokes");
});
test.after(({ db }) => db.close());

const FILTERS: readonly Omit<SpokeQuery, "federationId">[] = [
  {},
  { state: "failed" },
  { state: "removed" },
  { health: "degraded" },
  { health: "unknown" },
  { state: "active", health: "degraded" },
  { slug: "s-77" },
  ...["school", "SCHOOL 1", "nique_", "Ünique_3", "q", "1", "7.e", "%", "_", "\\", "s-12", "nothing", "0.example.org"]
    .map((q) => ({ q })),
  { q: "school", state: "failed" },
  { q: "nique", health: "healthy" },
  { q: "s-1", slug: "s-105" },
  { lmsVersion: "5.0" },
  { size: "large" },
  { size: "large", lmsVersion: "5.0", state: "active" },
  { region: "eu-west" },
  { notBlueprint: "r3" },
  { notBlueprint: "r1", health: "degraded" },
  { notBlueprint: "r4", region: "eu-west" },
  { q: "school", notBlueprint: "r3" },
  { q: "nique", lmsVersion: "5.0" },
  { addon: "mod_all" },
  { addon: "mod_few" },
  { addon: "mod_none" },
  { addon: "mod_few", q: "school" },
  { addon: "mod_all", slug: "s-105" },
  { addon: "mod_few", notBlueprint: "r3", minStoragePercent: 50 },
  { addon: "mod_all", minStoragePercent: 90, state: "failed" },
  { minStoragePercent: 80 },
  { minStoragePercent: 95, state: "active", notBlueprint: "r3" },
  { minStoragePercent: 100 },
  { minStoragePercent: 0 },
  { minStoragePercent: 80, q: "school 1" },
  { minStoragePercent: 90, sort: "storage" },
  ...(["oldest", "last-failure", "storage"] as const).flatMap((sort): Omit<SpokeQuery, "federationId">[] => [
    { sort },
    { sort, state: "failed" },
    { sort, notBlueprint: "r3" },
    { sort, size: "large" },
    { sort, q: "school" },
    { sort, q: "s-12" },
    { sort, q: "s-1", notBlueprint: "r2" },
    { sort, slug: "s-105" },
    { sort, minStoragePercent: 85 },
    { sort, addon: "mod_few" },
    { sort, addon: "mod_all", q: "school" },
  ]),
];

/** The add-on is on the spokes whose number is divisible by this number. */
const ADDON_STEPS: Readonly<Record<string, number>> = { mod_all: 1, mod_few: 40, mod_none: NaN };

function matches(row: SpokeRow, filter: Omit<SpokeQuery, "federationId">): boolean {
  const { q, slug, state, health, lmsVersion, size, region, notBlueprint, minStoragePercent, addon, sort } = filter;
  const texts = [row.slug, row.displayName, row.domain].map((text) => text.toLowerCase());
  return (q === undefined || texts.some((text) => text.includes(q.toLowerCase()))) &&
    (slug === undefined || row.slug === slug) && (state === undefined || row.state === state) &&
    (health === undefined || row.health === health) && (lmsVersion === undefined || row.lmsVersion === lmsVersion) &&
    (size === undefined || row.size === size) && (region === undefined || row.region === region) &&
    (notBlueprint === undefined || row.blueprintRevision !== notBlueprint) &&
    (minStoragePercent === undefined || (row.storagePercent ?? -1) >= minStoragePercent) &&
    (addon === undefined || row.state !== "removed" && Number(row.slug.slice(2)) % ADDON_STEPS[addon]! === 0) &&
    (sort !== "last-failure" || row.lastFailedAt !== null);
}

/** Compares rows that are sorted by time or storage, and ID. */
function compare(a: SpokeRow, b: SpokeRow, sort: SpokeQuery["sort"]): number {
  const keyOf = (row: SpokeRow) =>
    sort === "storage"
      ? row.storagePercent ?? -1
      : (sort === "last-failure" ? row.lastFailedAt! : row.createdAt).getTime();
  const order = keyOf(b) - keyOf(a) || (a.id < b.id ? 1 : -1);
  return sort === "oldest" ? -order : order;
}

for (const who of ["operator", "admin of ten hubs", "admin of two hubs and three spokes", "admin of nothing"]) {
  for (const removed of ["hidden", "shown"] as const) {
    if (removed === "shown" && who !== "operator") continue;
    test(`finds each spoke once, in order, for an ${who}, removed spokes ${removed}`, async ({ db, hubs, spokes }) => {
      const other = spokes.filter(({ federationId }) => federationId === hubs[4]).slice(0, 3).map(({ id }) => id);
      const viewer: Viewer = who === "operator"
        ? { role: "operator", federationIds: [], spokeIds: [] }
        : who === "admin of ten hubs"
        ? { role: "hub_admin", federationIds: hubs.slice(2), spokeIds: [] }
        : who === "admin of nothing"
        ? { role: "spoke_admin", federationIds: [], spokeIds: [] }
        : { role: "hub_admin", federationIds: hubs.slice(2, 4), spokeIds: other };
      const visible = spokes.filter(({ id, federationId, state }) =>
        (removed === "shown" || state !== "removed") &&
        (viewer.role === "operator" || viewer.federationIds.includes(federationId) || viewer.spokeIds.includes(id))
      );
      for (const filter of FILTERS) {
        const expected = visible.filter((row) => matches(row, filter)).sort((a, b) => compare(a, b, filter.sort))
          .map(({ id }) => id);
        const whole = await listSpokes(db.rows, viewer, filter, removed);
        assert.equal(whole.items.map(({ id }) => id), expected, `${JSON.stringify(filter)} without a limit`);
        const found: string[] = [];
        let before: string | null | undefined;
        while (before !== null && found.length <= expected.length) {
          const cursor = before === undefined ? {} : { before: v.parse(BeforeCursor, before) };
          const page = await listSpokes(db.rows, viewer, { ...filter, limit: LIMIT, ...cursor }, removed);
          found.push(...page.items.map(({ id }) => id));
          before = page.next;
        }
        assert.equal(found, expected, JSON.stringify(filter));
      }
    });
  }
}

test("finds hubs by a part of the name, by state, and by the viewer's rights", async ({ db, hubs }) => {
  await updateRows(db, "federations", { name: "Nördlich" }, { id: hubs[3]! });
  await updateRows(db, "federations", { state: "failed" }, { id: hubs[5]! });
  const operator: Viewer = { role: "operator", federationIds: [], spokeIds: [] };
  const admin: Viewer = { role: "hub_admin", federationIds: hubs.slice(2), spokeIds: [] };
  const find = async (viewer: Viewer, filter: Parameters<typeof listFederations>[2], limit = 5) =>
    (await listFederations(db.rows, viewer, { ...filter, limit }, "hidden")).items.map(({ id }) => id);
  const newest = hubs.toReversed();
  for (const viewer of [operator, admin]) {
    assert.equal(await find(viewer, {}), newest.slice(0, 5));
    assert.equal(await find(viewer, { q: "HUB-1" }), [hubs[11], hubs[10], ...viewer === operator ? [hubs[1]] : []]);
    assert.equal(await find(viewer, { q: "rdlich" }), [hubs[3]]);
    assert.equal(await find(viewer, { state: "failed" }), [hubs[5]]);
    assert.equal(await find(viewer, { state: "failed", q: "hub" }), [hubs[5]]);
    assert.equal(await find(viewer, { slug: "hub-7" }), [hubs[7]]);
    assert.equal(await find(viewer, { q: "zz" }), []);
  }
});

test.run();
