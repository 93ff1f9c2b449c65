/** Tests that requests cannot fill the Kubernetes Secret in which a hub's client secrets are stored. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene }>("a hub's client secrets");
test.before(async (context) => void (context.scene = await openWorkScene()));
test.after(({ scene }) => scene.close());

test("are kept if a version names them; of the others, only the newest 20 are kept", async ({ scene }) => {
  await scene.replica();
  const { id, namespace } = await scene.hubBecomes((await scene.hub("north")).id, "active");
  const readHub = async () => (await findFederation(scene.db.rows, id, "shown"))!;
  const patch = async (change: PolicyPatch) => await patchPolicy(scene.app, scene.actor, await readHub(), change);
  await patch({ signIn: { issuer: "https://login.school.example", clientId: "moodle", clientSecret: "in use" } });
  for (let i = 0; i < 25; i++) {
    await rejection(patch({ signIn: { clientSecret: `secret ${i}` }, ifVersion: { signIn: 999 } }));
  }
  const secret = scene.simulator.objects("Secret").find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === "identity"
  )!;
  const texts = Object.values<string>(secret["data"]).map((text) => atob(text));
  assert.ok(texts.includes("in use"));
  assert.is(texts.length, 22, "the one in use, 20 that nothing names, and the newest");
});

test.run();
