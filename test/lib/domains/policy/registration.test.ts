/** Tests sites that register their own clients at the hub's identity provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { checkSignIn } from "#lib/domains/policy/check-sign-in.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy } from "#lib/domains/policy/show.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { recreateSpoke } from "#lib/domains/backups/recreate.ts";
import { enqueueSpokeRemoval } from "#lib/domains/spokes/remove.ts";
import { backUp, copy } from "#test/lib/recovery/copy-scene.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { rejection } from "#test/support/until.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const TOKEN = "a very secret token", ISSUER = "https://login.school.example";
const CALLBACK = "/admin/oauth2callback.php";

const test = suite<{ scene: WorkScene; hub: FederationRow; ash: string; oak: string }>("clients of the sites");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  await scene.replica();
  const { id } = await scene.hub("north");
  context.hub = await scene.hubBecomes(id, "active");
  await updateRows(scene.db, "federations", { mode: "identity" }, { id });
  [context.ash, context.oak] = [await create(scene, context.hub, "ash"), await create(scene, context.hub, "oak")];
  for (const spoke of [context.ash, context.oak]) await scene.becomes(spoke, "active");
});
test.after(({ scene }) => scene.close());

async function create(scene: WorkScene, hub: FederationRow, slug: string, more: object = {}): Promise<string> {
  const request = { slug, size: "small", identity: true, ...more } as never;
  return (await createSpoke(scene.app, scene.actor, hub, request, null)).id;
}

const readHub = async ({ db }: WorkScene, { id }: FederationRow) => (await findFederation(db.rows, id, "shown"))!;

async function patch(scene: WorkScene, hub: FederationRow, change: PolicyPatch): Promise<void> {
  await patchPolicy(scene.app, scene.actor, await readHub(scene, hub), change);
  const { rollout } = await showPolicy(scene.db.rows, hub.id);
  await waitForRollout(scene, rollout!, "completed");
}

/** Returns the client that the site has: its ID, secret and redirect addresses. */
async function clientOf({ row, simulator }: WorkScene, id: string): Promise<(string | undefined)[]> {
  const { oauth2_clientid, oauth2_clientsecret, oauth2_uris } =
    simulator.site((await row(id)).namespace).database?.config ?? {};
  return [oauth2_clientid, oauth2_clientsecret, oauth2_uris];
}

async function urisOf({ row }: WorkScene, id: string): Promise<string> {
  return `http://${(await row(id)).domain}${CALLBACK}`;
}

test("need the issuer and the token, but no client of the hub", async ({ scene, hub }) => {
  const alone = await rejection(patch(scene, hub, { signIn: { registrationToken: TOKEN } }));
  assert.match(alone.message, "The sign-in needs an issuer");
  const signIn = { issuer: ISSUER, registrationToken: TOKEN };
  const preview = await previewPolicy(scene.app, scene.actor, hub, { signIn });
  assert.not.match(JSON.stringify(preview), TOKEN);
  assert.ok(preview.changes.some(({ to }) => to === "a new registration token"));
  assert.not.match(preview.notes.join(), "needs");
});

test("differ from site to site, and the token is in the cluster only", async ({ scene, hub, ash, oak }) => {
  await patch(scene, hub, { signIn: { issuer: ISSUER, registrationToken: TOKEN } });
  for (const id of [ash, oak]) {
    assert.equal(await clientOf(scene, id), [`client-of-${id}`, `secret-of-${id}`, await urisOf(scene, id)]);
  }
  const { redirectUris, signIn } = await showPolicy(scene.db.rows, hub.id);
  assert.equal(redirectUris, [], "there is nothing to register by hand");
  assert.match(signIn.values["registrationToken"] as string, /^registration-token-\d+-[0-9a-f]{32}$/);
  const tables = ["federations", "spokes", "policy_versions", "jobs", "audit_events", "stream_events"] as const;
  const rows = await Promise.all(tables.map((table) => selectRows(scene.db, table as "jobs")));
  assert.not.match(JSON.stringify(rows), TOKEN);
  const fault = await rejection(patch(scene, hub, { signIn: { issuer: "https://evil.example" } }));
  assert.match(fault.message, "A new issuer needs its registration token");
});

test("keep the token and the client secret of one request", async ({ scene, hub }) => {
  await patch(scene, hub, { signIn: { clientId: "moodle", clientSecret: "shared", registrationToken: "another" } });
  const { namespace } = await readHub(scene, hub);
  const secret = scene.simulator.objects("Secret").find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === "identity"
  )!;
  const { values } = (await showPolicy(scene.db.rows, hub.id)).signIn;
  const stored = (field: string) => atob(secret["data"][values[field] as string]);
  assert.equal([stored("clientSecret"), stored("registrationToken")], ["shared", "another"]);
});

test("get the new address of the site, and keep the old one while it redirects", async ({ scene, ash }) => {
  const before = await urisOf(scene, ash);
  await patchSpoke(scene.app, scene.actor, await scene.row(ash), { domain: "ash.school.example" } as never);
  const job = await scene.ended(ash, "configure");
  assert.not.match(readOperationNotes(job).join(), "Add the redirect URI");
  assert.is((await clientOf(scene, ash))[2], `http://ash.school.example${CALLBACK} ${before}`);
});

test("are registered by new sites", async ({ scene, hub }) => {
  const id = await create(scene, hub, "newest");
  await scene.becomes(id, "active");
  assert.is((await clientOf(scene, id))[0], `client-of-${id}`);
});

test("are registered by copies and by a recreated site, which do not use the client of the original", async (context) => {
  const { scene, oak } = context, copies = { scene, id: oak, namespace: (await scene.row(oak)).namespace };
  await backUp(copies);
  const copied = await copy(copies, { identity: true }), south = await scene.hub("south");
  const elsewhere = await copy(copies, {}, await scene.hubBecomes(south.id, "active"));
  for (const id of [copied, elsewhere]) await scene.becomes(id, "active");
  assert.equal((await clientOf(scene, copied)).slice(0, 2), [`client-of-${copied}`, `secret-of-${copied}`]);
  assert.equal((await clientOf(scene, elsewhere)).slice(0, 2), ["", ""], "that hub shares no sign-in");
  assert.is((await clientOf(scene, oak))[0], `client-of-${oak}`);
  await scene.db.transact((tx) => enqueueSpokeRemoval(tx, scene.actor, copied));
  const { spoke: { id } } = await recreateSpoke(
    scene.app,
    scene.actor,
    await scene.becomes(copied, "removed"),
    {},
  );
  await scene.becomes(id, "active");
  assert.is((await clientOf(scene, id))[0], `client-of-${id}`);
});

test("need a provider that registers clients", async ({ scene, hub }) => {
  const check = async (request: object) =>
    await checkSignIn(scene.app, scene.actor, await readHub(scene, hub), request, AbortSignal.timeout(30_000));
  const issuer = "https://unregistered.example";
  assert.match((await check({ issuer })).problem!, "does not offer that sites register");
  assert.is((await check({ issuer, registers: false })).problem, null);
  assert.is((await check({})).problem, null);
});

test("leave the sites with the token, which return to the hub's client", async ({ scene, hub, oak }) => {
  await patch(scene, hub, { signIn: { registrationToken: null } });
  assert.equal(await clientOf(scene, oak), ["moodle", "shared", ""]);
  assert.ok((await showPolicy(scene.db.rows, hub.id)).redirectUris.includes(await urisOf(scene, oak)));
});

test.run();
