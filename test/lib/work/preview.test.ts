/** What the preview of an action names in the cluster is what its run changes there, and nothing else. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { previewAction } from "#lib/domains/spokes/action-preview.ts";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { openWorkScene, type WorkScene } from "#test/lib/work/scene.ts";

/** In an order in which each may be asked. A retry is whatever failed. */
const ASKED: readonly (readonly [Exclude<SpokeActionName, "retry">, wish?: object])[] = [
  ["suspend"],
  ["resume"],
  ["maintenance-on"],
  ["maintenance-off"],
  ["restart"],
  ["purge-caches"],
  ["run-cron"],
  ["backup"],
  ["reset-admin-password"],
  ["resize", { size: "large" }],
  ["resize", { size: "small" }],
  ["upgrade", { lmsVersion: "5.2.2", skipBackup: false }],
  ["reapply"],
];

/** What an action changes that no preview can tell: when the pods were started anew, and a password. */
const UNTOLD: Readonly<Record<string, readonly string[]>> = {
  restart: ["Deployment/moodle"],
  "reset-admin-password": ["Secret/admin"],
};

/** What belongs to the site, and does not come and go with pods and Jobs. */
const LASTING =
  /^(?:Deployment|StatefulSet|CronJob|Service|Ingress|ConfigMap|Secret|NetworkPolicy|ResourceQuota|LimitRange|PersistentVolumeClaim)$/;

/** Each object by its name, as far as it is what somebody asked for. */
function asked({ simulator }: WorkScene, namespace: string): Map<string, string> {
  const own = simulator.objects().filter(({ kind, metadata }) =>
    metadata.namespace === namespace && LASTING.test(kind)
  );
  return new Map(
    own.map(({ kind, metadata, spec, data }) => [`${kind}/${metadata.name}`, JSON.stringify([spec, data])]),
  );
}

const test = suite<{ scene: WorkScene; id: string }>("a preview");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.replica();
  await scene.becomes(context.id, "active");
});
test.after(({ scene }) => scene.close());

const { signal } = new AbortController();

test("is tried for every action", () => {
  assert.equal(
    [...new Set(ASKED.map(([action]) => action))].toSorted(),
    SPOKE_ACTIONS.filter((each) => each !== "retry").toSorted(),
  );
});

for (const [action, wish = {}] of ASKED) {
  test(`of ${[action, ...Object.values(wish)].join(" ")} names what its run changes`, async ({ scene, id }) => {
    const { namespace } = await scene.row(id);
    if (action === "reapply") await breakByHand(scene, namespace);
    const preview = await previewAction(scene.app, scene.actor, await scene.row(id), { action, ...wish }, signal);
    const named = [...new Set(preview.changes.map(({ object }) => object))];
    const before = asked(scene, namespace);
    await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action, wish }));
    assert.is((await scene.ended(id, action)).state, "succeeded");
    const after = asked(scene, namespace);
    const changed = [...new Set([...before.keys(), ...after.keys()])]
      .filter((object) => before.get(object) !== after.get(object) && !UNTOLD[action]?.includes(object));
    assert.equal(changed.toSorted(), named.toSorted());
  });
}

/** Somebody deletes an object of the site. */
async function breakByHand({ simulator }: WorkScene, namespace: string): Promise<void> {
  const base = `${simulator.url}/apis/networking.k8s.io/v1/namespaces/${namespace}`;
  const [policy] = simulator.objects("NetworkPolicy").filter(({ metadata }) => metadata.namespace === namespace);
  await fetch(`${base}/networkpolicies/${policy!.metadata.name}`, { method: "DELETE" });
}

test.run();
