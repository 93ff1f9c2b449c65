/** Tests how the sign-in that a hub shares reaches its sites. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type FederationRow, findFederation } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { rollBackPolicy } from "#lib/domains/policy/roll-back.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { rejection } from "#test/support/until.ts";
import { readRolloutRow, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const SECRET = "a very secret text", NEW_SECRET = "another secret text";
const SIGN_IN = { issuer: "https://login.school.example", clientId: "moodle", clientSecret: SECRET };

const test = suite<{ scene: WorkScene; hub: FederationRow; ash: string; oak: string; elm: string }>("a hub's sign-in");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  await scene.replica();
  const { id } = await scene.hub("north");
  context.hub = await scene.hubBecomes(id, "active");
  context.ash = await create(scene, context.hub, "ash");
  context.oak = await create(scene, context.hub, "oak");
  context.elm = await create(scene, context.hub, "elm", false);
  for (const spoke of [context.ash, context.oak, context.elm]) await scene.becomes(spoke, "active");
});
test.after(({ scene }) => scene.close());

async function create(scene: WorkScene, hub: FederationRow, slug: string, identity = true): Promise<string> {
  return (await createSpoke(scene.app, scene.actor, hub, { slug, size: "small", identity } as never, null)).id;
}

const readHub = async ({ db }: WorkScene, { id }: FederationRow) => (await findFederation(db.rows, id, "shown"))!;

async function patch(scene: WorkScene, hub: FederationRow, change: PolicyPatch) {
  return await patchPolicy(scene.app, scene.actor, await readHub(scene, hub), change);
}

async function setMode(scene: WorkScene, hub: FederationRow, mode: string): Promise<void> {
  await changeHub(scene.app, scene.actor, await readHub(scene, hub), { mode } as never);
}

async function completed(scene: WorkScene, hub: FederationRow): Promise<void> {
  await waitForRollout(scene, (await showPolicy(scene.db.rows, hub.id)).rollout!, "completed");
}

/** Returns what the site has of the sign-in: whether it is on, and its client secret. */
async function signInOf({ row, simulator }: WorkScene, id: string): Promise<(string | undefined)[]> {
  const config = simulator.site((await row(id)).namespace).database?.config ?? {};
  return [config["oauth2_enabled"], config["oauth2_clientsecret"]];
}

async function secretEntries(scene: WorkScene, hub: FederationRow): Promise<Record<string, string>> {
  const { namespace, namespaceUid, cluster } = await readHub(scene, hub);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, namespaceUid!);
  const call = { signal: AbortSignal.timeout(10_000) };
  return (await space.get({ apiVersion: "v1", kind: "Secret", name: "identity" }, call))?.["data"] ?? {};
}

const stateOf = async (scene: WorkScene, id: string) => (await showSpokePolicy(scene.db.rows, id)).signIn;

test("previews what is missing, and stores no incomplete sign-in", async ({ scene, hub }) => {
  const { issuer, clientId } = SIGN_IN;
  const preview = await previewPolicy(scene.app, scene.actor, hub, { signIn: { issuer, clientId } });
  assert.ok(preview.notes.includes("The sign-in needs a client secret"));
  assert.ok(preview.notes.some((note) => note.includes("mode is identity or both")));
  assert.equal(preview.counts, { changes: 2, later: 0, overridden: 0, excluded: 1 });
  const full = await previewPolicy(scene.app, scene.actor, hub, { signIn: SIGN_IN });
  assert.not.match(JSON.stringify(full), SECRET);
  const fault = await rejection(patch(scene, hub, { signIn: { issuer, clientId } }));
  assert.is(fault.code, "sign_in_incomplete");
  assert.equal(await secretEntries(scene, hub), {});
});

test("waits for the hub's mode, then reaches every site with identity", async ({ scene, hub, ash, oak, elm }) => {
  const { signIn } = await patch(scene, hub, { signIn: SIGN_IN });
  assert.is(signIn.version, 1);
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), [undefined, undefined], "the mode is grouping only");
  assert.is((await stateOf(scene, ash)).state, "in_sync");
  await setMode(scene, hub, "identity");
  assert.is((await stateOf(scene, ash)).state, "behind");
  await completed(scene, hub);
  for (const id of [ash, oak]) assert.equal(await signInOf(scene, id), ["1", SECRET]);
  assert.equal(await signInOf(scene, elm), [undefined, undefined]);
  const { state, reasons } = await stateOf(scene, elm);
  assert.equal([state, reasons], ["excluded", ["The spoke does not use the hub's sign-in"]]);
  assert.equal((await showSpokePolicy(scene.db.rows, elm)).excluded, [], "no admin has excluded it");
  assert.equal((await showPolicy(scene.db.rows, hub.id)).spokes.signIn, {
    ...{ in_sync: 2, behind: 0, differs: 0, excluded: 1 },
  });
});

test("is protected before it is set up", async ({ scene, ash }) => {
  const { namespace } = await scene.row(ash);
  const finished = scene.simulator.writes().flatMap(({ method, path }) =>
    method === "DELETE" && path.includes(`/namespaces/${namespace}/jobs/`)
      ? [path.replace(/.*\/jobs\//, "").replace(/-\d+\b.*/, "")]
      : []
  );
  assert.equal(finished.slice(-3, -1), ["protect-sign-in", "seed"]);
});

test("keeps the client secret out of the database", async ({ scene, hub }) => {
  const rows = await Promise.all(
    (["federations", "spokes", "policy_versions", "jobs", "audit_events", "stream_events"] as const).map((table) =>
      selectRows(scene.db, table as "jobs")
    ),
  );
  assert.not.match(JSON.stringify(rows), SECRET);
  const entries = await secretEntries(scene, hub);
  const { values } = (await showPolicy(scene.db.rows, hub.id)).signIn;
  assert.equal(Object.keys(entries), [values["clientSecret"]]);
  assert.is(atob(Object.values(entries)[0]!), SECRET);
});

test("a client that sends back what it has read changes nothing", async ({ scene, hub }) => {
  const { values } = (await showPolicy(scene.db.rows, hub.id)).signIn;
  assert.is((await patch(scene, hub, { signIn: values as never })).signIn.version, 1);
  assert.is((await patch(scene, hub, { signIn: { clientSecret: SECRET } })).signIn.version, 1, "the same secret");
});

test("a new client secret reaches the sites, and the old version can return", async ({ scene, hub, ash }) => {
  await patch(scene, hub, { signIn: { clientSecret: NEW_SECRET } });
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), ["1", NEW_SECRET]);
  const row = await readHub(scene, hub);
  await rollBackPolicy(scene.app, scene.actor, row, { section: "signIn", version: 1 });
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), ["1", SECRET]);
});

test("keeps the secrets of requests at the same time, and removes old ones that nothing names", async ({ scene, hub }) => {
  const { namespace, namespaceUid, cluster } = await readHub(scene, hub);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, namespaceUid!);
  const old = `client-secret-1-${"0".repeat(32)}`, other = "someone-elses";
  await space.patch({ apiVersion: "v1", kind: "Secret", name: "identity" }, [
    { op: "add", path: `/data/${old}`, value: btoa("old") },
    { op: "add", path: `/data/${other}`, value: btoa("other") },
  ], { signal: AbortSignal.timeout(10_000) });
  const before = Object.keys(await secretEntries(scene, hub)).filter((name) => name !== old);
  await Promise.all(["one", "two"].map((clientSecret) => patch(scene, hub, { signIn: { clientSecret } })));
  const after = await secretEntries(scene, hub), added = Object.keys(after).filter((name) => !before.includes(name));
  assert.is(after[old], undefined);
  assert.equal(before.filter((name) => !Object.hasOwn(after, name)), [], "named by versions, or not of a policy");
  assert.equal(added.map((name) => atob(after[name]!)).sort(), ["one", "two"]);
  await patch(scene, hub, { signIn: { clientSecret: SECRET } });
  await completed(scene, hub);
});

test("does not send the client secret to another issuer", async ({ scene, hub }) => {
  const fault = await rejection(patch(scene, hub, { signIn: { issuer: "https://evil.example" } }));
  assert.is(fault.code, "sign_in_incomplete");
  assert.match(fault.message, "A new issuer needs its client secret");
});

test("a site that cannot read the provider keeps what it has, and tries again", async ({ scene, hub, ash }) => {
  await patch(scene, hub, { signIn: { ...SIGN_IN, issuer: "https://unreachable.example" } });
  await completed(scene, hub);
  const { state, reasons } = await stateOf(scene, ash);
  assert.is(state, "differs");
  assert.match(reasons[0]!, "cannot read https://unreachable.example");
  assert.equal(await signInOf(scene, ash), ["1", SECRET]);
  await requestSpokeAction(scene.app, scene.actor, await scene.row(ash), { action: "configure" } as never);
  const { progress } = await scene.ended(ash, "configure");
  assert.match(JSON.stringify(progress), "single sign-on: the site cannot read");
  await patch(scene, hub, { signIn: SIGN_IN });
  await completed(scene, hub);
  assert.is((await stateOf(scene, ash)).state, "in_sync");
});

test("an excluded site keeps what it has", async ({ scene, hub, ash, oak }) => {
  await patchSpokePolicy(scene.app, scene.actor, await scene.row(oak), { excluded: ["signIn"] });
  await patch(scene, hub, { signIn: { clientSecret: NEW_SECRET } });
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), ["1", NEW_SECRET]);
  assert.equal(await signInOf(scene, oak), ["1", SECRET]);
  await patchSpokePolicy(scene.app, scene.actor, await scene.row(oak), { excluded: [] });
  await scene.ended(oak, "configure");
  assert.equal(await signInOf(scene, oak), ["1", NEW_SECRET]);
});

test("a new site is equal to the old ones", async ({ scene, hub }) => {
  const id = await create(scene, hub, "newest");
  await scene.becomes(id, "active");
  assert.equal(await signInOf(scene, id), ["1", NEW_SECRET]);
  assert.is((await stateOf(scene, id)).state, "in_sync");
});

test("leaves the sites with the mode, and returns with it", async ({ scene, hub, ash }) => {
  await setMode(scene, hub, "content");
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), ["0", NEW_SECRET]);
  await setMode(scene, hub, "both");
  await completed(scene, hub);
  assert.equal(await signInOf(scene, ash), ["1", NEW_SECRET]);
  const { rollout } = await showPolicy(scene.db.rows, hub.id);
  await setMode(scene, hub, "identity");
  assert.is((await showPolicy(scene.db.rows, hub.id)).rollout!.id, rollout!.id, "nothing changes");
  assert.ok(await readRolloutRow(scene, rollout!));
});

test("leaves a site that turns it off, and returns when the site turns it on", async ({ scene, ash, elm }) => {
  const { app, actor } = scene;
  await patchSpoke(app, actor, await scene.row(ash), { identity: false });
  await scene.ended(ash, "configure");
  assert.equal(await signInOf(scene, ash), ["0", NEW_SECRET]);
  assert.is((await stateOf(scene, ash)).state, "excluded");
  assert.is((await scene.row(ash)).blueprintInputs["identity"], false);
  await patchSpoke(app, actor, await scene.row(ash), { identity: true });
  await patchSpoke(app, actor, await scene.row(elm), { identity: true });
  for (const id of [ash, elm]) {
    await scene.ended(id, "configure");
    assert.equal(await signInOf(scene, id), ["1", NEW_SECRET]);
    assert.is((await stateOf(scene, id)).state, "in_sync");
  }
  const admin = { ...actor, role: "member", spokeIds: [ash] } as never;
  const fault = await rejection(patchSpoke(app, admin, await scene.row(ash), { identity: false }));
  assert.is(fault.code, "federation_admin_only");
});

test("reports that the client secret of a site is missing", async ({ scene, hub, ash }) => {
  const { namespace, namespaceUid, cluster } = await readHub(scene, hub);
  const space = (await scene.app.clusters.open(cluster)).space(namespace, namespaceUid!);
  const call = { signal: AbortSignal.timeout(10_000) };
  await space.patch({ apiVersion: "v1", kind: "Secret", name: "identity" }, [{ op: "remove", path: "/data" }], call);
  await patch(scene, hub, { signIn: { label: "School account" } });
  await completed(scene, hub);
  assert.match((await stateOf(scene, ash)).reasons[0]!, "client secret is missing");
});

test("leaves the sites when the hub removes it", async ({ scene, hub, ash }) => {
  await patch(scene, hub, { signIn: { issuer: null, clientId: null, clientSecret: null } });
  await completed(scene, hub);
  assert.equal((await signInOf(scene, ash))[0], "0");
  assert.is((await stateOf(scene, ash)).state, "in_sync");
});

test.run();
