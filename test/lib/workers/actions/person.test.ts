/** Tests the actions that suspend and reinstate a person on sites, in a simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MoodleAccount } from "#lib/dev/simulator/programs/moodle/site.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { selectRows } from "#test/support/rows.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const CY = "cy@school.example";
const test = suite<{ scene: WorkScene; ash: string; oak: string }>("suspend-person and reinstate-person");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  const hub = await scene.hub("north");
  [context.ash, context.oak] = [await scene.spoke(hub, "ash"), await scene.spoke(hub, "oak")];
  for (const id of [context.ash, context.oak]) await scene.becomes(id, "active");
  await addAccount(scene, context.ash, { password: "x", email: CY, sessions: 2 });
});
test.after(({ scene }) => scene.close());

async function addAccount({ row, simulator }: WorkScene, id: string, account: MoodleAccount): Promise<void> {
  const site = simulator.site((await row(id)).namespace);
  site.changeDatabase((database) => ({ ...database, accounts: { ...database.accounts, cy: account } }));
}

const accountOf = async ({ row, simulator }: WorkScene, id: string) =>
  simulator.site((await row(id)).namespace).database!.accounts!["cy"];

async function act(scene: WorkScene, id: string, action: "suspend-person" | "reinstate-person", email: string) {
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action, email } as never);
  return await scene.ended(id, action);
}

test("suspends the person, ends the sessions, and says what it did on each site", async ({ scene, ash, oak }) => {
  const done = await act(scene, ash, "suspend-person", CY);
  assert.equal([done.state, done.progress.notes], ["succeeded", [`One account of ${CY} suspended, sessions ended`]]);
  const { suspended, sessions } = (await accountOf(scene, ash))!;
  assert.equal([suspended, sessions], [true, 0]);
  const none = await act(scene, oak, "suspend-person", CY);
  assert.is(none.state, "succeeded");
  assert.match(none.progress.notes![0]!, `No account of ${CY}`);
  assert.is((await scene.row(ash)).state, "active");
  const audit = await selectRows(scene.db, "audit_events", { kind: "spoke_actioned", objectId: ash });
  assert.match(JSON.stringify(audit), "suspend-person");
});

test("reinstates the person", async ({ scene, ash }) => {
  const done = await act(scene, ash, "reinstate-person", CY);
  assert.equal(done.progress.notes, [`One account of ${CY} can sign in again`]);
  assert.is((await accountOf(scene, ash))!.suspended, false);
});

test("refuses an administrator of the site", async ({ scene, oak }) => {
  const { failure, state } = await act(scene, oak, "suspend-person", scene.actor.email);
  assert.equal([state, failure!.code], ["failed", "AdministratorAccount"]);
  assert.is((await scene.row(oak)).state, "active");
});

test("needs an email address", async ({ scene, oak }) => {
  const fault = await requestSpokeAction(scene.app, scene.actor, await scene.row(oak), {
    action: "suspend-person",
  } as never).catch((error) => error);
  assert.is(fault.code, "parameter_needed");
});

test.run();
