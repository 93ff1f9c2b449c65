/** Tests replicas that answer requests but do not work on spokes: the chart gives their account no rights in the
 * cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Fault } from "#lib/base/errors.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { runSignInLinkJob } from "#lib/domains/spokes/sign-in-job.ts";
import type { SpokeAction } from "#lib/domains/spokes/views.ts";
import { makeApp, openWorkScene } from "#test/lib/workers/scene.ts";
import { putAsAdmin, SERVICE_ACCOUNT } from "#test/support/service-account.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("replicas without rights");

test("say of what needs the cluster at once that it cannot be had, while others do the work", async () => {
  const scene = await openWorkScene();
  const account = { ...SERVICE_ACCOUNT, name: "wheelwright-api" };
  await putAsAdmin(scene.simulator, { apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  const { app, close } = await makeApp(scene.db, scene.simulator.kubeconfig(account), SILENT_LOG);
  try {
    await scene.replica(); // a worker's replica
    const id = await scene.spoke(await scene.hub("math"), "algebra"), spoke = await scene.becomes(id, "active");
    const cluster = await app.clusters.open("default"), { signal } = new AbortController();
    assert.match(await cluster.version({ signal }), /^v1\./, "readyz has nothing to note");
    const suspend = { action: "suspend" } as SpokeAction;
    const asking = [
      () => previewSpokeAction(app, scene.actor, spoke, suspend, signal),
      () => runSignInLinkJob(app, scene.actor, spoke, signal),
    ];
    for (const ask of asking) {
      const { kind, code, message } = await rejection(ask()) as Fault;
      assert.equal([kind, code], ["unavailable", "cluster_unavailable"]);
      assert.match(message, 'User "system:serviceaccount:wheelwright:wheelwright-api" cannot');
    }
  } finally {
    await close();
    await scene.close();
  }
});

test.run();
