/** Tests that no request gets slower as the installation grows: every list, search, overview and page reads about as
 * much of the database, and answers with about as many bytes, in a large installation as in a small one. */
import { appendFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { manifest } from "#src/manifest.ts";
import { hubId, spokeId } from "#test/bench/plans-fill.ts";
import { addManyHubs, fillInstallation, type InstallationSize } from "#test/growth/fill.ts";
import { measureRequest, type RequestCost } from "#test/growth/measure.ts";
import { isStreamEndpoint, type ListedEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { listFields } from "#test/support/probes/fields.ts";
import { pathOf, sampleParams, type Samples } from "#test/support/probes/samples.ts";
import { GENEROUS_LIMITS, openTestDatabase } from "#test/support/database.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { addHubAdmin, addSpokeAdmin } from "#test/support/users.ts";

const LARGE: InstallationSize = { hubs: 1000, spokes: 50_000 };
const SMALL: InstallationSize = { hubs: 20, spokes: 1000 };
/** The small installation for the admin of 200 hubs. What is read about one's own hubs is then the same. */
const SMALL_WITH_MANY_HUBS: InstallationSize = { hubs: 200, spokes: 1000 };
const MANY = 200;

const READERS = { operator: "operator", "admin of one hub": "hubAdmin", "admin of 200 hubs": "stranger" } as const;
type Reader = keyof typeof READERS;

/** A large installation may need this many times the cost per listed object. */
const MOST = 1.5;
/** Pages and rows that do not count as growth: an operator's totals (unread notifications, overview) add up one short row
 * per hub, because the changes of all hubs would wait for the row of a single total. */
const FEW_PAGES = 120, FEW_ROWS = 5 * LARGE.hubs, FEW_BYTES = 200;
/** The index of a larger table has more levels. Each listed object, and each hub of the reader, needs several searches. */
const LEVELS_PER_OBJECT = 4, LEVELS_PER_OWN_HUB = 3;
/** Requests that may cost more, with the most that they may cost. */
const COSTLIER: readonly (readonly [request: RegExp, most: number])[] = [
  [/role=hub_admin/, 4], // skips rows one by one, because each user's role depends on several tables
  [/^operator: GET \/spokes(?:\?|$)/, 4], // lists spokes of up to 50 hubs; the small installation has 20
  [/^admin of 200 hubs: GET (?:\/api)?\/operations/, 2.5], // searches in each of these hubs
];

/** Endpoints that are not measured, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "GET /audit/export": "returns the whole audit log, in pages of the measured GET /api/audit",
  "GET /api/readyz": "reads no rows",
};

/** Values for each query parameter. For a search, they are in all names, in some, in one, and in none. Those in none have
 * letters that no ID has, because IDs are random. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  q: ["o", "school", "school-777", "zlz", "zu"],
  slug: ["school-77", "hub-7"],
  health: ["degraded", "healthy", "unknown"],
  includeRemoved: ["true"],
  days: ["2", "365"],
  before: ["2025-01-01T10:00:00Z"],
  limit: [],
  kind: ["spoke_actioned"],
  actor: ["user7@school7.example"],
  objectType: ["spoke"],
  objectId: [spokeId(3)],
  federationId: [hubId(5)],
  hubs: [`${hubId(5)},${hubId(10)}`],
  email: ["user1", "user17@"],
  role: ["operator", "hub_admin", "spoke_admin"],
  section: ["settings", "brand"],
  unreadOnly: ["true"],
  show: ["unread"],
  until: ["2030-01-01"],
  size: ["small", "large"],
  lmsVersion: ["4.5.12", "5.0.1"],
  region: ["eu-west", "nowhere"],
  outdated: ["true"],
  action: ["reapply"],
  sort: ["oldest", "last-failure", "storage"],
  minStoragePercent: ["50", "80", "96", "100"],
  from: [spokeId(3)],
  of: [],
  addon: ["mod_all", "mod_some", "mod_one", "mod_none"],
  copyOf: [spokeId(5)],
  rows: [`${spokeId(5)},${spokeId(6)}`],
  next: [],
  // These pages need several parameters together, or read one row.
  ...{ iss: [], error: [], invitation: [], provider: [], challenge: [], port: [], name: [], scope: [] },
  ...{ course: [], version: [] },
};
const STATES: Readonly<Record<string, readonly string[]>> = {
  "/api/federation-requests": ["pending"],
  "/requests": ["pending"],
  "/api/restore-requests": ["open"],
  "/api/users": ["active", "invited"],
  "/users": ["active", "invited"],
  "/api/operations": ["unfinished", "failed", "succeeded", "cancelled"],
  "/operations": ["unfinished", "failed", "succeeded", "cancelled"],
  "/api/federations": ["failed", "active"],
  "/hubs": ["failed", "active"],
};
const COMBINATIONS = [
  "state=active&health=degraded",
  "state=failed&q=school",
  "includeRemoved=true&state=removed",
  "sort=last-failure&q=school",
  "outdated=true&sort=oldest",
  "sort=storage&minStoragePercent=90",
  "sort=storage&q=school",
  "minStoragePercent=90&sort=last-failure",
  "addon=mod_some&q=school",
  "lmsVersion=5.0.1&before=2025-01-02T00:00:00Z",
];
/** The page size of lists, which is at most the number of hubs in the small installation. */
const LIMIT = "limit=20";

const measured = listEndpoints(manifest).filter(({ name, method, endpoint }) =>
  method === "GET" && endpoint.scope !== "public" && !isStreamEndpoint(endpoint) && !(name in EXCEPTIONS)
);

/** Returns the queries to measure: none, each value of each parameter, and combinations of filters. */
function listQueries({ pattern, endpoint }: ListedEndpoint): readonly string[] {
  const names = listFields(endpoint.query).map(({ name }) => name);
  const queries = names.flatMap((name) => {
    const values = name === "state" ? STATES[pattern] ?? ["failed", "active", "suspended"] : VALUES[name];
    if (!values) throw new Error(`test/growth/growth.test.ts has no value for the parameter ${name} of ${pattern}`);
    return values.map((value) => `${name}=${encodeURIComponent(value)}`);
  });
  const combinations = ["/api/my-spokes", "/spokes"].includes(pattern) ? COMBINATIONS : [];
  const filters = ["", ...queries, ...combinations];
  return names.includes("limit") ? filters.map((filter) => [LIMIT, filter].filter(Boolean).join("&")) : filters;
}

async function measureInstallation(
  size: InstallationSize,
  readers: readonly Reader[],
): Promise<Map<string, RequestCost>> {
  const db = await openTestDatabase({ ...GENEROUS_LIMITS, size: 1 });
  try {
    await fillInstallation(db.url, size);
    const clusters = { clusterFor: () => "default", open: () => Promise.reject(new Error("This test has no cluster")) };
    const scene = await openScene({ world: { db, clusters, log: SILENT_LOG } });
    if (readers.includes("admin of 200 hubs")) await addManyHubs(db, scene.people.stranger.id, size.hubs, MANY);
    const costs = await measureReaders(scene, readers);
    await scene.close();
    return costs;
  } finally {
    await db.close();
  }
}

async function measureReaders(scene: Scene, readers: readonly Reader[]): Promise<Map<string, RequestCost>> {
  const samples = await addToFilledHub(scene), costs = new Map<string, RequestCost>();
  for (const reader of readers) {
    const role: SceneRole = READERS[reader], headers = await scene.as(role).credentials();
    for (const listed of measured) {
      // Pages about one object are measured for the admin of one hub. Here the hubs of the small installation are smaller.
      if (reader === "admin of 200 hubs" && listed.pattern.includes(":")) continue;
      const path = pathOf(listed.pattern, samples);
      for (const query of listQueries(listed)) {
        const target = query ? `${path}?${query}` : path;
        const cost = await measureRequest(scene.db, () => scene.send(target, { headers }));
        costs.set(`${reader}: GET ${listed.pattern}${query && `?${query}`}`, cost);
        if (cost.status !== 200) break; // the reader has no access, whatever the query
      }
    }
  }
  return costs;
}

/** Makes the scene's admins admins of a hub and a spoke in the installation. Returns the path parameters of both. */
async function addToFilledHub(scene: Scene): Promise<Samples> {
  const { db, people: { hubAdmin, spokeAdmin } } = scene, hub = hubId(5), spoke = spokeId(5);
  const samples = await sampleParams(scene), own = (prefix: string) => spoke.replace("spk", prefix);
  await db.sql("delete from federation_members where user_id = $1", [hubAdmin.id]);
  await addHubAdmin(db, hubAdmin, hub);
  await addSpokeAdmin(db, spokeAdmin, spoke);
  const params = { federationId: hub, spokeId: spoke, operationId: own("op"), restoreRequestId: own("rsr") };
  const changed = Object.entries(params).map(([name, id]) => [name, { ...samples[name]!, own: id }] as const);
  return { ...samples, ...Object.fromEntries(changed) };
}

/** Returns a line for each request that costs too much in the large installation. */
function findGrowth(small: Map<string, RequestCost>, large: Map<string, RequestCost>): string[] {
  return [...large].flatMap(([name, after]) => {
    const before = small.get(name)!, factor = COSTLIER.find(([request]) => request.test(name))?.[1];
    const allowed = (factor ?? MOST) * Math.max(1, after.items / Math.max(1, before.items));
    const levels = LEVELS_PER_OBJECT * after.items + (name.startsWith("admin of 200") ? LEVELS_PER_OWN_HUB * MANY : 0);
    if (process.env.SHOW_COSTS) appendFileSync(process.env.SHOW_COSTS, `${describe(name, before, after)}\n`);
    if (before.status !== after.status) return [`${name}: ${before.status}, then ${after.status}`];
    const grows = after.pages > allowed * before.pages + FEW_PAGES + levels ||
      after.rows > allowed * before.rows + FEW_ROWS ||
      after.bytes > allowed * before.bytes + FEW_BYTES;
    return grows ? [describe(name, before, after)] : [];
  });
}

function describe(name: string, before: RequestCost, after: RequestCost): string {
  const tables = [...after.tables].sort(([, a], [, b]) => b - a).slice(0, 5).map((entry) => entry.join(" ")).join(", ");
  return `${
    (after.pages / Math.max(1, before.pages)).toFixed(2)
  }\t${before.pages} → ${after.pages} pages (${tables})\t` +
    `${before.rows} → ${after.rows} rows\t${before.bytes} → ${after.bytes} bytes\t` +
    `${before.items} → ${after.items} objects\t${after.status}\t${name}`;
}

const test = suite("a request in a large installation");

test("costs as much as in a small installation", async () => {
  const large = await measureInstallation(LARGE, ["operator", "admin of one hub", "admin of 200 hubs"]);
  const small = await measureInstallation(SMALL, ["operator", "admin of one hub"]);
  const many = await measureInstallation(SMALL_WITH_MANY_HUBS, ["admin of 200 hubs"]);
  assert.ok(large.size > 300);
  assert.equal(findGrowth(new Map([...small, ...many]), large), []);
});

test("is measured for every endpoint that reads rows, except where the reason is given", () => {
  const names = listEndpoints(manifest).map(({ name }) => name);
  assert.equal(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name)), []);
});

test.run();
