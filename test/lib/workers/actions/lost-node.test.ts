import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import { type Clinic, openClinic } from "./scene.ts";
import { showOperation } from "#lib/domains/operations/show.ts";
import { NODE_NAME } from "#lib/dev/simulator/controllers/objects.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ clinic: Clinic }>("suspendHandler, of a site whose node is lost");
test.before.each(async (context) => void (context.clinic = await openClinic()));
test.after.each(({ clinic }) => clinic.close());

const onNode = new RegExp(`Pods still running: moodle-\\S+ \\(on node ${NODE_NAME.replaceAll(".", "\\.")}\\b`);

async function lose({ scene, objects }: Clinic): Promise<() => void> {
  const fault = scene.simulator.faults.add({ type: "lost-node", name: NODE_NAME });
  await until(() => objects("Event").some(({ reason }) => reason === "NodeNotReady"));
  return () => void scene.simulator.faults.remove(fault);
}

test("names the node while it waits, and continues when the node is back", async ({ clinic }) => {
  const bringBack = await lose(clinic);
  await clinic.ask("suspend");
  await until(async () => onNode.test((await clinic.last("suspend")).label));
  bringBack();
  await clinic.scene.becomes(clinic.id, "suspended");
});

test("names the node after a failure, with the node's message", async ({ clinic }) => {
  const { scene, id } = clinic;
  await lose(clinic);
  await scene.db.transact(async (tx) => {
    await checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action: "suspend", parameters: {} });
    await sql`update jobs set time_limit_ms = 2500 where kind = 'suspend'`.execute(tx);
  });
  const { error } = await showOperation(scene.db.rows, scene.actor, await scene.ended(id, "suspend"));
  assert.equal([error!.code, error!.fault, error!.step], ["deadline", "cluster", "app"]);
  assert.match(error!.message, onNode);
  assert.match(error!.hint!, /Fix the problem that was last seen/);
  assert.ok(error!.events.some(({ reason }) => reason === "NodeNotReady"));
  assert.is((await clinic.row()).stateReason, error!.message);
});

test.run();
