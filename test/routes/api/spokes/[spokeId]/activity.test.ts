/** Tests that IP address and user agent of operators are visible to operators only, in every list. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordChange } from "#lib/changes/record.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { insertRow, NOW, updateRows } from "#test/support/rows.ts";

const FROM = { ip: "198.51.100.7", userAgent: "laptop/1" };
const HIDDEN = { ip: "", userAgent: "" };
const PLACES = ["activity", "list", "mark as read"] as const;

const test = suite<{ scene: Scene }>("GET /api/spokes/{spokeId}/activity");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

/** Runs an action as that user. */
async function act({ db, people, hub, spoke }: Scene, who: SceneRole): Promise<void> {
  const { id, email } = people[who];
  const entry = {
    kind: "spoke_actioned",
    objectType: "spoke",
    objectId: spoke,
    federationId: hub,
    spokeId: spoke,
  } as const;
  const requester = { userId: id, email, ...FROM, tokenPrefix: null };
  await db.transact((tx) => recordChange(tx, requester, { audit: [entry] }));
}

async function origins(scene: Scene, who: SceneRole): Promise<unknown[]> {
  const read = async (place: typeof PLACES[number]) => {
    if (place === "activity") return (await scene.as(who).get(`/api/spokes/${scene.spoke}/activity`)).body;
    const { body } = await scene.as(who).get("/api/notifications");
    return place === "list" ? body : [(await scene.as(who).post(`/api/notifications/${body[0].id}/read`)).body];
  };
  const events = (await Promise.all(PLACES.map(read))).flat();
  return events.map(({ ip, userAgent }) => ({ ip, userAgent }));
}

test("names the operator who acted, and shows IP addresses of operators only to operators.", async ({ scene }) => {
  await act(scene, "operator");
  const { id, email } = scene.people.operator;
  for (const who of ["hubAdmin", "spokeAdmin"] as const) {
    assert.equal(await origins(scene, who), [HIDDEN, HIDDEN, HIDDEN], who);
    const { body } = await scene.as(who).get(`/api/spokes/${scene.spoke}/activity`);
    assert.equal(body[0].actor, { id, email });
  }
  assert.equal(await origins(scene, "operator"), [FROM, FROM, FROM]);
  const { body } = await scene.as("operator").get("/api/audit");
  assert.is(body.find(({ kind }: { kind: string }) => kind !== "notifications_read").ip, FROM.ip);
});

test("shows the IP address of an admin.", async ({ scene }) => {
  await act(scene, "hubAdmin");
  for (const who of ["hubAdmin", "spokeAdmin", "operator"] as const) {
    assert.equal(await origins(scene, who), [FROM, FROM, FROM], who);
  }
});

test("uses the role that the user had when they acted.", async ({ scene }) => {
  const { db, people, hub } = scene;
  await act(scene, "operator");
  await updateRows(db, "users", { operator: false }, { id: people.operator.id });
  await insertRow(db, "federation_members", { federationId: hub, userId: people.operator.id });
  assert.equal(await origins(scene, "spokeAdmin"), [HIDDEN, HIDDEN, HIDDEN]);
  await act(scene, "operator");
  await updateRows(db, "users", { operator: true }, { id: people.operator.id });
  const { body } = await scene.as("spokeAdmin").get(`/api/spokes/${scene.spoke}/activity`);
  assert.equal(body.map(({ ip }: { ip: string }) => ip), [FROM.ip, ""]);
});

test("hides the IP address if the role was not recorded.", async ({ scene }) => {
  const { db, people, hub, spoke } = scene;
  await insertRow(db, "audit_events", {
    id: "evt_old",
    kind: "spoke_actioned",
    actorId: people.operator.id,
    actorEmail: "x",
    objectType: "spoke",
    objectId: spoke,
    metadata: "{}",
    ip: FROM.ip,
    userAgent: "x",
    at: NOW,
    federationId: hub,
    spokeId: spoke,
    customerVisible: true,
  });
  const ipFor = async (who: SceneRole) => (await scene.as(who).get(`/api/spokes/${spoke}/activity`)).body[0].ip;
  assert.equal([await ipFor("hubAdmin"), await ipFor("operator")], ["", FROM.ip]);
});

test.run();
