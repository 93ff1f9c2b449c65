/** Tests that a preview names exactly the objects that the operation changes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SPOKE_ACTIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { patchSpoke, previewSpokePatch } from "#lib/domains/spokes/patch.ts";
import type { ActionPreview } from "#lib/domains/spokes/views.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

/** The actions, in an order in which each is allowed. */
const ASKED: readonly (readonly [Exclude<SpokeActionName, "retry">, parameters?: object])[] = [
  ["suspend"],
  ["resume"],
  ["maintenance-on"],
  ["maintenance-off"],
  ["restart"],
  ["purge-caches"],
  ["run-cron"],
  ["backup"],
  ["reset-admin-password"],
  ["suspend-person", { email: "cy@school.example" }],
  ["reinstate-person", { email: "cy@school.example" }],
  ["resize", { size: "large" }],
  ["resize", { size: "small" }],
  ["upgrade", { lmsVersion: "5.2.2", skipBackup: false }],
  ["reapply"],
  ["configure"],
];

/** Changes that no preview shows: restart times, a password, and settings of the seed. */
const UNTOLD: Readonly<Record<string, readonly string[]>> = {
  restart: ["Deployment/moodle"],
  "reset-admin-password": ["Secret/admin"],
  configure: ["ConfigMap/seed", "Deployment/moodle"],
};

/** Kinds that belong to the site and do not come and go with pods and Jobs. */
const LASTING =
  /^(?:Deployment|StatefulSet|CronJob|Service|Ingress|ConfigMap|Secret|NetworkPolicy|ResourceQuota|LimitRange|PersistentVolumeClaim)$/;

/** Returns the fields of each object that actions write, without the site record, which a background task writes. */
function objectsOf({ simulator }: WorkScene, namespace: string): Map<string, string> {
  const own = simulator.objects().filter(({ kind, metadata }) =>
    metadata.namespace === namespace && LASTING.test(kind) && !(kind === "ConfigMap" && metadata.name === "wheelwright")
  );
  return new Map(
    own.map(({ kind, metadata, spec, data }) => {
      const leadsTo = metadata.annotations?.["nginx.ingress.kubernetes.io/permanent-redirect"];
      return [`${kind}/${metadata.name}`, JSON.stringify([spec, data, leadsTo])];
    }),
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

test("covers every action", () => {
  assert.equal(
    [...new Set(ASKED.map(([action]) => action))].toSorted(),
    SPOKE_ACTIONS.filter((each) => each !== "retry").toSorted(),
  );
});

/** Each patch follows the previous one: the second one turns the first redirect around. */
const PATCHES = [
  { displayName: "Algebra" },
  { domain: "algebra.school.example" },
  { domain: "maths.school.example" },
  { domain: "algebra.spokes.example.org" },
];

for (const [action, parameters = {}] of ASKED) {
  test(`lists the changes of ${[action, ...Object.values(parameters)].join(" ")}`, async ({ scene, id }) => {
    const { namespace } = await scene.row(id);
    if (action === "reapply") await breakByHand(scene, namespace);
    const preview = await previewSpokeAction(
      scene.app,
      scene.actor,
      await scene.row(id),
      { action, ...parameters },
      signal,
    );
    await requireSameObjects(
      scene,
      id,
      preview,
      () =>
        scene.db.transact((tx) =>
          checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters: parameters })
        ),
    );
  });
}

for (const patch of PATCHES) {
  test(`of a patch to ${Object.values(patch)} names what its run changes`, async ({ scene, id }) => {
    const preview = await previewSpokePatch(scene.app, scene.actor, await scene.row(id), patch, signal);
    const spoke = await scene.row(id);
    await requireSameObjects(scene, id, preview, () => patchSpoke(scene.app, scene.actor, spoke, patch));
  });
}

async function requireSameObjects(
  scene: WorkScene,
  id: string,
  { action, changes }: ActionPreview,
  ask: () => Promise<unknown>,
): Promise<void> {
  const { namespace } = await scene.row(id);
  const named = [...new Set(changes.map(({ object }) => object))];
  const before = objectsOf(scene, namespace);
  await ask();
  assert.is((await scene.ended(id, action)).state, "succeeded");
  const after = objectsOf(scene, namespace);
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((object) => before.get(object) !== after.get(object) && !UNTOLD[action]?.includes(object));
  assert.equal(changed.toSorted(), named.toSorted());
}

/** Deletes an object of the site manually. */
async function breakByHand({ simulator }: WorkScene, namespace: string): Promise<void> {
  const base = `${simulator.url}/apis/networking.k8s.io/v1/namespaces/${namespace}`;
  const [policy] = simulator.objects("NetworkPolicy").filter(({ metadata }) => metadata.namespace === namespace);
  await fetch(`${base}/networkpolicies/${policy!.metadata.name}`, { method: "DELETE" });
}

test.run();
