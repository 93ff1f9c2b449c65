/** Tests that details for operators are visible to operators only, in every reason, hint and note. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { saveSnapshotClasses } from "#lib/domains/backups/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const MEANS = "VolumeSnapshotContent snapcontent-1 stays (GET kube.example.org:6443/api: connect ECONNREFUSED " +
  "203.0.113.7:6443): kubectl delete volumesnapshotcontent snapcontent-1";
const SECRET = /kubectl|snapcontent|kube\.example|203\.0/;
const test = suite<{ scene: Scene; operation: string }>("operator details");

test.before(async (context) => {
  const scene = await openScene(), { db, hub, spoke } = scene;
  Object.assign(context, { scene, operation: createId("op") });
  await updateRows(db, "spokes", { stateReason: MEANS }, { id: spoke });
  await updateRows(db, "federations", { stateReason: MEANS }, { id: hub });
  const events = [{ at: "", object: "Pod/web-0", reason: "Unhealthy", message: MEANS, count: 1 }];
  const report = { step: "apply", code: "X", fault: "operator", message: MEANS, hint: MEANS, log: [MEANS], events };
  await db.sql(
    `insert into jobs (id, kind, visible, lane, federation_id, spoke_id, time_limit_ms, plan, step_names, label, state,
      finished_at, requester_id, requester_email, requester_ip, requester_agent, failure, progress)
     values ($1, 'provision', true, $2, $3, $4, 1000, 1, '{}', $5, 'failed', now(), 'system', 'system', '', 'test', $6, $7)`,
    [
      context.operation,
      `federation:${hub}`,
      hub,
      spoke,
      MEANS,
      report,
      { notes: [MEANS] },
    ],
  );
  const about = { objectType: "spoke", objectId: spoke, federationId: hub, spokeId: spoke } as const;
  const audit = [{ kind: "spoke_action_failed", ...about, metadata: { error: MEANS } }] as const;
  await db.transact((tx) => recordChange(tx, SYSTEM_REQUESTER, { audit }));
  await saveSnapshotClasses(db.rows, "default", [{ name: "keeping", driver: "disk.example" }]);
  for (const state of ["failed", "ready"]) {
    await db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state,
        error, failed_at, verification_error, ready_at)
       values ($1, $2, $3, $4, 'default', 'spoke-oak', 'nightly', $5::text,
        case $5 when 'failed' then $6::text end, case $5 when 'failed' then now() end,
        case $5 when 'ready' then $6::text end, case $5 when 'ready' then now() end)`,
      [createId("bak"), spoke, hub, createId("op"), state, MEANS],
    );
  }
});
test.after(({ scene }) => scene.close());

test("are visible to operators only", async ({ scene, operation }) => {
  const { hub, spoke } = scene;
  const paths: Record<string, SceneRole[]> = {
    [`/api/spokes/${spoke}`]: ["hubAdmin", "spokeAdmin"],
    [`/api/spokes/${spoke}/operations`]: ["hubAdmin", "spokeAdmin"],
    [`/api/spokes/${spoke}/activity`]: ["hubAdmin", "spokeAdmin"],
    [`/api/spokes/${spoke}/backups`]: ["hubAdmin", "spokeAdmin"],
    [`/api/operations/${operation}`]: ["hubAdmin", "spokeAdmin"],
    [`/api/federations/${hub}`]: ["hubAdmin", "spokeAdmin"],
    [`/api/federations/${hub}/spokes`]: ["hubAdmin", "spokeAdmin"],
    [`/api/federations/${hub}/operations`]: ["hubAdmin", "spokeAdmin"],
    "/api/notifications": ["hubAdmin", "spokeAdmin"],
  };
  for (const [path, others] of Object.entries(paths)) {
    assert.match(JSON.stringify((await scene.as("operator").get(path)).body), MEANS, path);
    for (const who of others) {
      const { status, body } = await scene.as(who).get(path);
      assert.is(status, 200, path);
      assert.match(JSON.stringify(body), "The stored snapshot stays", `${path} ${who}`);
      assert.not.match(JSON.stringify(body), SECRET, `${path} ${who}`);
    }
  }
  const { lastError, snapshots } = (await scene.as("operator").get(`/api/spokes/${spoke}/backups`)).body;
  assert.equal([lastError, snapshots.find(({ state }: { state: string }) => state === "ready").verificationError], [
    MEANS,
    MEANS,
  ]);
  assert.not.match(JSON.stringify((await scene.as("spokeAdmin").get("/api/my-spokes")).body), SECRET);
});

test.run();
