/** Measures the creation from a template with the simulator's clock, which ignores the load of this machine. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchObject } from "#test/lib/workers/backups/scene.ts";
import { installSpoke, waitForTemplate } from "#test/lib/workers/templates/scene.ts";
import { createFastForwardTimers } from "#test/support/fast-forward-timers.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite("a site from a template");

test("is created in at most 35% of the time of the install Job, with step times measured on a real cluster", async () => {
  const scene = await openWorkScene(0, { TEMPLATES: "on" }, 1, createFastForwardTimers());
  try {
    const context = { scene, hub: await scene.hub("math") };
    await scene.replica();
    const { namespace: byJob } = await scene.row(await installSpoke(context, "by-job"));
    const cron = `/apis/batch/v1/namespaces/${byJob}/cronjobs/moodle-cron`; // the simulator's clock would skip to its next run
    await patchObject(scene, cron, [{ op: "add", path: "/spec/suspend", value: true }]);
    await waitForTemplate(scene, "ready");
    const { namespace } = await scene.row(await installSpoke(context, "from-template"));
    const job = durationOf(scene, byJob, /^Job install-/);
    const created = durationOf(scene, namespace, /^(?:Namespace |Job setup-)/),
      opened = durationOf(scene, namespace, /^Ingress /);
    assert.ok(created + opened <= 0.35 * job, `${created} and ${opened} ms, where the install Job takes ${job} ms`);
  } finally {
    await scene.close();
  }
});

/** Returns the milliseconds from the first to the last change of the matching objects in a namespace. */
function durationOf({ simulator }: WorkScene, namespace: string, what: RegExp): number {
  const times = simulator.history().filter(({ kind, name, namespace: place, type, deleting }) =>
    (place ?? name) === namespace && what.test(`${kind} ${name}`) && type !== "DELETED" && !deleting
  ).map(({ at }) => Date.parse(at));
  return Math.max(...times) - Math.min(...times);
}

test.run();
