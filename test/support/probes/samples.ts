/** Provides three values for each path parameter: a value from the scene (hub north, spoke oak and their users), one
 * from another hub that only operators can access, and an ID that does not exist. */
import { createId } from "#lib/base/ids.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { createSealedWebhookSecret } from "#lib/domains/webhooks/secrets.ts";
import { recordChange } from "#lib/changes/record.ts";
import { addHubAdmin, addSpokeAdmin, createTestToken, createTestUser } from "#test/support/users.ts";
import { createTestFactor } from "#test/support/factors.ts";
import { insertHub, insertRollout, insertSpoke } from "#test/support/insert-rows.ts";
import type { Scene } from "#test/support/scene.ts";
import { insertRow, updateRows } from "#test/support/rows.ts";

export interface PathParamSample {
  readonly own: string;
  readonly foreign: string;
  readonly absent: string;
}

export type Samples = Readonly<Record<string, PathParamSample>>;

const COURSE = createId("crs");

export async function sampleParams(scene: Scene): Promise<Samples> {
  const { db, hub, spoke, people } = scene;
  const south = await insertHub(db, people.operator.id, "south");
  await updateRows(db, "federations", { courses: JSON.stringify([buildCourse(spoke)]) }, { id: hub });
  const elm = await insertSpoke(db, people.operator.id, south, "elm");
  const other = await createTestUser(db, "of-south");
  await addHubAdmin(db, other, south);
  await addSpokeAdmin(db, other, elm);
  return {
    federationId: { own: hub, foreign: south, absent: createId("fed") },
    spokeId: { own: spoke, foreign: elm, absent: createId("spk") },
    operationId: {
      own: await makeOperation(scene, hub, spoke),
      foreign: await makeOperation(scene, south, elm),
      absent: createId("op"),
    },
    tokenId: {
      own: (await createTestToken(db, people.hubAdmin, "cli")).id,
      foreign: (await createTestToken(db, people.operator, "cli")).id,
      absent: createId("tok"),
    },
    // Uses three random IDs that belong to no session.
    courseId: { own: COURSE, foreign: COURSE, absent: createId("crs") },
    version: same("1"),
    sessionId: { own: createId("ses"), foreign: createId("ses"), absent: createId("ses") },
    identityId: { own: createId("idn"), foreign: createId("idn"), absent: createId("idn") },
    providerId: same("contoso"), // no provider, because the scene has none
    requestId: {
      own: await makeRequest(scene, people.hubAdmin.id, "own-request"),
      foreign: await makeRequest(scene, other.id, "other-request"),
      absent: createId("frq"),
    },
    notificationId: {
      own: await makeNotification(scene, hub, spoke),
      foreign: await makeNotification(scene, south, elm),
      absent: createId("evt"),
    },
    restoreRequestId: {
      own: await makeRestoreRequest(scene, people.hubAdmin.id, hub, spoke),
      foreign: await makeRestoreRequest(scene, other.id, south, elm),
      absent: createId("rsr"),
    },
    rolloutId: {
      own: await insertRollout(db, people.hubAdmin.id, hub, spoke),
      foreign: await insertRollout(db, other.id, south, elm),
      absent: createId("rol"),
    },
    factorId: {
      own: (await createTestFactor(scene.app, people.operator)).id,
      foreign: (await createTestFactor(scene.app, other)).id,
      absent: createId("fac"),
    },
    webhookId: {
      own: await insertWebhook(scene, hub),
      foreign: await insertWebhook(scene, south),
      absent: createId("whk"),
    },
    deliveryId: same(createId("whd")),
    userId: { own: people.spokeAdmin.id, foreign: other.id, absent: createId("usr") },
    change: same("disable"),
    action: same("restart"),
    hubAdminId: { own: people.hubAdmin.id, foreign: other.id, absent: createId("usr") },
  };
}

/** Returns a course whose only version the spoke has published. */
function buildCourse(spokeId: string) {
  const version = { version: 1, title: "Biology", shortname: "BIO-D", sha256: "0".repeat(64), bytes: 1, plugins: [] };
  const origin = { branch: "4.5", moodle: 2024100712, spokeId, operationId: createId("op") };
  const at = { publishedAt: "2026-11-21T12:00:00.000Z", publishedBy: "ada@school.example" };
  return { id: COURSE, title: "Biology", versions: [{ ...version, ...origin, ...at }] };
}

/** Returns the same value three times, for a parameter that belongs to no hub. */
function same(word: string): PathParamSample {
  return { own: word, foreign: word, absent: word };
}

async function makeRequest({ db }: Scene, userId: string, slug: string): Promise<string> {
  const id = createId("frq");
  await db.rows.insertInto("federation_requests").values({ id, slug, name: slug, requestedBy: userId }).execute();
  return id;
}

async function makeRestoreRequest({ db }: Scene, requestedBy: string, federationId: string, spokeId: string) {
  const id = createId("rsr");
  await db.rows.insertInto("restore_requests")
    .values({ id, federationId, spokeId, backupId: createId("bak"), reason: "Why", requestedBy }).execute();
  return id;
}

/** Returns the path for a route pattern, with values instead of parameters. */
export function pathOf(pattern: string, samples: Samples, which: keyof PathParamSample = "own"): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => {
    const sample =
      samples[/\/(?:federations|hubs)\/.*:userId/.test(pattern) && name === "userId" ? "hubAdminId" : name];
    if (!sample) throw new Error(`test/support/probes/samples.ts has no value for the parameter ${name} in ${pattern}`);
    return sample[which];
  });
}

async function insertWebhook({ app: { secrets }, db, people }: Scene, federationId: string): Promise<string> {
  const id = createId("whk"), { sealed } = createSealedWebhookSecret(secrets, id);
  await db.rows.insertInto("webhooks")
    .values({
      id,
      federationId,
      url: "https://93.184.216.34/",
      eventTypes: [],
      secret: sealed,
      createdBy: people.operator.id,
    })
    .execute();
  return id;
}

async function makeNotification({ db }: Scene, federationId: string, spokeId: string): Promise<string> {
  const about = { objectType: "spoke", objectId: spokeId, federationId, spokeId } as const;
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit: [{ kind: "spoke_actioned", ...about }] }));
  const [{ id }] = await db.sql("select id from audit_events where object_id = $1 order by at desc limit 1", [spokeId]);
  return id;
}

async function makeOperation({ db }: Scene, federationId: string, spokeId: string): Promise<string> {
  const id = createId("op");
  await insertRow(db, "jobs", {
    id,
    kind: "provision",
    visible: true,
    lane: `federation:${federationId}`,
    federationId,
    spokeId,
    timeLimitMs: 1000,
    plan: 1,
    stepNames: "{}",
    payload: "{}",
    label: "Waiting",
    requesterId: "system",
    requesterEmail: "system",
    requesterIp: "",
    requesterAgent: "test",
  });
  return id;
}
