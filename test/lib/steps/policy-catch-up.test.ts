/** Tests that a spoke which becomes active while its hub's policy changes gets the new policy. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createPolicyRollout } from "#lib/domains/policy/roll-out.ts";
import { readHubSpokes } from "#lib/domains/policy/store.ts";
import { lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { planPolicyCatchUp } from "#lib/steps/policy-catch-up.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: Scene }>("planPolicyCatchUp");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const POLICY = {
  settings: {
    version: 1,
    values: { language: "de" },
    overridable: [],
    changedAt: "2026-11-27",
    changedBy: "a@x.example",
  },
};

test("waits for a change of the policy, and then requests the operation that applies it", async ({ scene }) => {
  const { db } = scene, [spoke] = await selectRows(db, "spokes", { slug: "oak" }), row = spoke as SpokeRow;
  const plan = () => db.transact((tx) => planPolicyCatchUp(tx, { ...row, state: "active" }));
  assert.equal(await plan(), [], "nothing is shared yet");
  let planned: ReturnType<typeof plan> | undefined;
  await db.transact(async (tx) => {
    await lockFederation(tx, row.federationId);
    await updateFederation(tx, row.federationId, { policy: JSON.stringify(POLICY) });
    planned = plan();
    await until(async () =>
      (await db.sql("select from pg_locks where not granted and locktype in ('transactionid', 'tuple')")).length > 0
    );
  });
  assert.equal((await planned!).map(({ kind }) => kind.kind), ["configure"]);
});

test("is left to a rollout that has not reached the spoke, but not to one before the newest change", async ({ scene }) => {
  const { db, people } = scene, [spoke] = await selectRows(db, "spokes", { slug: "oak" }), row = spoke as SpokeRow;
  await db.transact((tx) => updateFederation(tx, row.federationId, { policy: JSON.stringify(POLICY) }));
  const hubSpoke = (await readHubSpokes(db.rows, row.federationId)).find(({ id }) => id === row.id)!;
  await db.transact((tx) =>
    createPolicyRollout(tx, { userId: people.operator.id } as Actor, row.federationId, [hubSpoke])
  );
  const plan = async () =>
    (await db.transact((tx) => planPolicyCatchUp(tx, { ...row, state: "active" }))).map(({ kind }) => kind.kind);
  for (const [state, expected] of [["waiting", []], ["failed", []], ["succeeded", ["configure"]]] as const) {
    await updateRows(db, "rollout_spokes", { state });
    assert.equal(await plan(), expected, state);
  }
});

test.run();
