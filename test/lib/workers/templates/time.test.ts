/** How long a template takes in the cluster, by the cluster's own clock, which counts nothing that this machine is busy with. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patch } from "#test/lib/workers/backups/scene.ts";
import { installed, templateIs } from "#test/lib/workers/templates/scene.ts";
import { createFastForwardTimers } from "#test/support/fast-forward-timers.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite("a site from a template");

test("is there in 0.35 of the time that the install Job takes alone, each step as it was measured on a real cluster", async () => {
  const scene = await openWorkScene(0, { TEMPLATES: "on" }, 1, createFastForwardTimers());
  try {
    const context = { scene, hub: await scene.hub("math") };
    await scene.replica();
    const { namespace: byJob } = await scene.row(await installed(context, "by-job"));
    const cron = `/apis/batch/v1/namespaces/${byJob}/cronjobs/moodle-cron`; // the clock would leap to its minutes
    await patch(scene, cron, [{ op: "add", path: "/spec/suspend", value: true }]);
    await templateIs(scene, "ready");
    const { namespace } = await scene.row(await installed(context, "from-template"));
    const job = took(scene, byJob, /^Job install-/);
    const made = took(scene, namespace, /^(?:Namespace |Job setup-)/), opened = took(scene, namespace, /^Ingress /);
    assert.ok(made + opened <= 0.35 * job, `${made} and ${opened} ms, where the install Job takes ${job} ms`);
  } finally {
    await scene.close();
  }
});

/** Milliseconds from the first change of what is called so in the namespace to the last one while it is made. */
function took({ simulator }: WorkScene, namespace: string, what: RegExp): number {
  const times = simulator.history().filter(({ kind, name, namespace: place, type, deleting }) =>
    (place ?? name) === namespace && what.test(`${kind} ${name}`) && type !== "DELETED" && !deleting
  ).map(({ at }) => Date.parse(at));
  return Math.max(...times) - Math.min(...times);
}

test.run();
