/** A life of a hub and its spokes in the simulated cluster, for what is asked of a cluster meanwhile. */
import { silent } from "#lib/base/log.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import { acceptRemoval } from "#lib/domains/spokes/remove.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { requestRestore } from "#lib/domains/backups/request.ts";
import { dropClaims } from "#test/lib/work/restore/scene.ts";
import { retire, swapSnapshots, templateIs } from "#test/lib/work/templates/scene.ts";
import { lookOnce } from "#test/lib/work/sweep/looks.ts";
import { makeApp, openWorkScene, startReplica } from "../work/scene.ts";
import { type Asked, openBetween } from "./between.ts";

export async function liveThrough(more: Record<string, string> = {}): Promise<readonly Asked[]> {
  const env = { ACME_EMAIL: "ops@example.org", TEMPLATES: "on", ...more };
  const scene = await openWorkScene(5, env);
  const between = await openBetween(scene.simulator.url);
  const { app, close } = await makeApp(scene.db, between.kubeconfig(), silent, env);
  const scheduler = await startReplica(app);
  try {
    const act = (
      id: string,
      action: "suspend" | "resume" | "restart" | "backup" | "resize" | "reapply",
      wish: object = {},
    ) => scene.db.transact((tx) => acceptAction(app, tx, scene.actor, id, { action, wish }));
    const hub = await scene.hub("math");
    const id = await scene.spoke(hub, "algebra");
    await scene.becomes(id, "active", "failed");
    await act(id, "suspend");
    await scene.becomes(id, "suspended");
    await act(id, "resume");
    await scene.becomes(id, "active");
    await act(id, "restart");
    await scene.ended(id, "restart");
    await act(id, "resize", { size: "medium" });
    await scene.ended(id, "resize");
    for (let time = 0; time < 3; time++) { // one a day is kept: the next one has it removed, if midnight is not between
      await act(id, "backup");
      await scene.ended(id, "backup");
    }
    await act(id, "reapply");
    await scene.ended(id, "reapply");
    await requestRestore(app, scene.actor, id, {});
    await scene.ended(id, "restore");
    await act(id, "backup");
    await scene.ended(id, "backup");
    await scene.db.sql("update kept_claims set until = now()");
    await dropClaims({ ...scene, app });
    for (const domain of ["maths.school.example", "algebra.spokes.example.org"]) {
      await patchSpoke(app, scene.actor, await scene.row(id), { domain } as SpokePatch);
      await scene.ended(id, "configure");
    }
    await lookOnce(app);
    await templateIs(scene, "ready");
    await scene.becomes(await scene.spoke(hub, "geometry"), "active", "failed");
    await swapSnapshots(scene);
    await scene.becomes(await scene.spoke(hub, "topology", "medium"), "active", "failed"); // by its Job after all
    await scene.db.sql(
      "update templates set created_at = '2000-01-01', ready_at = '2000-01-01', last_used_at = '2000-01-01'",
    );
    await retire(app);
    scene.simulator.faults.failJob("install-", { log: ["no luck"] });
    const failing = await scene.spoke(hub, "broken");
    await scene.becomes(failing, "failed"); // its log and events are read
    await scene.db.transact((tx) => acceptRemoval(tx, scene.actor, id));
    await scene.becomes(id, "removed");
    return between.asked;
  } finally {
    await scheduler.close();
    await close();
    await between.close();
    await scene.close();
  }
}
