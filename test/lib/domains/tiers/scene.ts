/** Sets up a hub whose tiers place pods on nodes, in a simulated cluster with one node. */
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { createFederation } from "#lib/domains/federations/create.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { NODE_NAME } from "#lib/dev/simulator/controllers/objects.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import type { RolloutRow } from "#lib/domains/rollouts/store.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

export const TIERS = `
tiers:
  - { name: shared, sizes: [small, medium] }
  - name: dedicated
    nodeSelector: { pool: dedicated }
    tolerations: [{ key: pool, value: dedicated, effect: NoSchedule }]
    priorityClass: important
    sizes: [small]
    backups: { retention: { daily: 3, weekly: 0, monthly: 0 } }
`;
/** The values that the tier `dedicated` gives to a site. */
export const DEDICATED = {
  nodeSelector: { pool: "dedicated" },
  tolerations: [{ key: "pool", value: "dedicated", effect: "NoSchedule" }],
  priorityClass: "important",
  retention: { daily: 3, weekly: 0, monthly: 0 },
};

export async function openTierScene(): Promise<WorkScene> {
  const scene = await openWorkScene();
  Object.assign(scene.app, { catalog: loadCatalog(TIERS, scene.app.blueprint) });
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  return scene;
}

export async function createTierHub({ app, actor, db }: WorkScene, slug: string, tier: string): Promise<FederationRow> {
  const { id } = await createFederation(app, actor, { slug, tier } as never, null);
  return (await findFederation(db.rows, id, "shown"))!;
}

/** Gives the cluster a node for the tier `dedicated`, and the PriorityClass. */
export async function addDedicatedNode({ simulator }: WorkScene): Promise<void> {
  const send = async (method: string, path: string, body: object, type = "application/json") => {
    const response = await fetch(`${simulator.url}${path}`, {
      method,
      headers: { "content-type": type },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
  };
  await send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {
    ...{ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "important" }, value: 100 },
  });
  await send("PATCH", `/api/v1/nodes/${NODE_NAME}`, {
    metadata: { labels: { pool: "dedicated" } },
    spec: { taints: [{ key: "pool", value: "dedicated", effect: "NoSchedule" }] },
  }, "application/merge-patch+json");
}

/** Changes the hub's tier with a rollout, which it returns; undefined if no site had to change. */
export async function rollOutTier(scene: WorkScene, hub: FederationRow, tier: string): Promise<RolloutRow | undefined> {
  const before = (await selectRows(scene.db, "rollouts")).map(({ id }) => id);
  await changeHub(scene.app, scene.actor, hub, { tier, rollOut: true } as never);
  const added = (await selectRows(scene.db, "rollouts")).find(({ id }) => !before.includes(id));
  if (added) await updateRows(scene.db, "rollouts", { canaryMinutes: 0 }, { id: added.id });
  return added as RolloutRow | undefined;
}

/** Returns the pod specs of the site's pods and of the templates of its workloads. */
// deno-lint-ignore no-explicit-any
export async function readPods(scene: WorkScene, id: string): Promise<any[]> {
  const { namespace } = await scene.row(id);
  const own = (kind: string) =>
    scene.simulator.objects(kind).filter(({ metadata }) => metadata.namespace === namespace);
  return [
    ...own("Pod").filter(({ status }) => status?.phase === "Running").map(({ spec }) => spec),
    ...["Deployment", "StatefulSet"].flatMap((kind) => own(kind).map(({ spec }) => spec.template.spec)),
    ...own("CronJob").map(({ spec }) => spec.jobTemplate.spec.template.spec),
  ];
}
