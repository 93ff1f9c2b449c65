import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installed, templateIs } from "#test/lib/work/templates/scene.ts";
import { openLeaping } from "#test/support/leaping.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";

const test = suite("a template's time");

test("a site from a template is there in a third of the time that the install Job takes alone, as measured on a real cluster.", async () => {
  const scene = await openWorkScene(0, { TEMPLATES: "on" }, 1, openLeaping());
  try {
    const context = { scene, hub: await scene.hub("math") };
    await scene.replica();
    const byJob = await scene.row(await installed(context, "by-job"));
    await templateIs(scene, "ready");
    const byTemplate = await scene.row(await installed(context, "by-template"));
    const job = took(scene, byJob.namespace, ["Job", /^install-/]);
    const site = took(scene, byTemplate.namespace, ["Namespace", /^/], ["Ingress", /^/]);
    assert.ok(site <= 0.35 * job, `${site} ms, where the install Job takes ${job} ms`);
  } finally {
    await scene.close();
  }
});

type What = readonly [kind: string, name: RegExp];

/** Milliseconds of the cluster's own clock, from the first that happened to the one in this namespace to the last to the other. */
function took({ simulator }: WorkScene, namespace: string, first: What, last: What = first): number {
  const times = ([kind, name]: What) =>
    simulator.history().filter((each) =>
      each.kind === kind && (each.namespace ?? each.name) === namespace && name.test(each.name)
    )
      .map(({ at }) => Date.parse(at));
  return Math.max(...times(last)) - Math.min(...times(first));
}

test.run();
