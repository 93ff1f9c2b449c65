/** Fills a cluster with many spokes, but installs only one. The others are copies of this spoke's objects and row. The
 * cluster has no controllers, so that nothing changes and almost no CPU time is used.
 *
 *   const copies = await openCopiedSpokes(scene, model, 10_000);
 *   // copies.kubeconfig connects to the cluster; the rows are in the scene's database */
import type { AddressInfo } from "node:net";
import { SILENT_LOG } from "#lib/base/log.ts";
import { createId } from "#lib/base/ids.ts";
import { closeServer, createApiServer } from "#lib/dev/simulator/api/server.ts";
import { createWriteRecorder, type WriteRecord } from "#lib/dev/simulator/store/recorder.ts";
import { createSimulation, type Simulation } from "#lib/dev/simulator/simulation.ts";
import { buildNamespaceName } from "#lib/moodle/names.ts";
import { RELEASE } from "#test/support/release.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";
import { kubeconfigOf } from "#test/lib/doctor/kube-proxy.ts";

export interface CopiedSpokes {
  readonly url: string;
  readonly kubeconfig: string;
  readonly world: Simulation;
  readonly ids: readonly string[];
  writes(): readonly WriteRecord[];
  close(): Promise<void>;
}

const KEPT = new Set([
  ...["Namespace", "ResourceQuota", "LimitRange", "NetworkPolicy", "ConfigMap", "Secret", "Service"],
  ...["StatefulSet", "Deployment", "PersistentVolumeClaim", "CronJob", "Ingress"],
]);

/** Copies the scene's active spoke `model` to a new cluster, `count` times. The sweep (periodic check of all spokes)
 * ignores the model, which is in another cluster. */
export async function openCopiedSpokes(scene: WorkScene, model: string, count: number): Promise<CopiedSpokes> {
  const row = await scene.db.rows.selectFrom("spokes").selectAll().where("id", "=", model).executeTakeFirstOrThrow();
  const objects = scene.simulator.objects().filter((object) =>
    KEPT.has(object.kind) && (object.metadata.namespace ?? object.metadata.name) === row.namespace
  );
  const world = createSimulation({ delayMs: 0, log: SILENT_LOG });
  for (const object of scene.simulator.objects("Namespace").filter(({ metadata }) => metadata.name === "kube-system")) {
    world.store.save(object);
  }
  const ids: string[] = [];
  let rows: Record<string, unknown>[] = [];
  for (let i = 0; i < count; i++) {
    const id = createId("spk"), slug = `s${i}`, namespace = buildNamespaceName("spoke", { release: RELEASE, slug, id });
    const names = new Map([
      ...[[row.id, id], [row.namespace, namespace], [row.domain, `${slug}.example.org`]] as const,
      ...[[row.slug, slug], [`${row.slug}:`, `${slug}:`]] as const, // the slug is also a prefix in email addresses
    ]);
    for (const object of objects) {
      const copy = renamed(object, names), uid = object.kind === "Namespace" ? `uid-${id}` : crypto.randomUUID();
      world.store.save({ ...copy, metadata: { ...copy.metadata, uid } });
    }
    ids.push(id);
    const inputs = renamed({ ...row.blueprintInputs, displayName: `s${i}` }, names);
    rows.push({
      ...{ ...row, id, namespace, slug: `s${i}`, displayName: `s${i}`, domain: `s${i}.example.org` },
      ...{ namespaceUid: `uid-${id}`, blueprintInputs: JSON.stringify(inputs), visibleEvents: 0 },
    });
    if (rows.length === 500 || i === count - 1) {
      await scene.db.rows.insertInto("spokes").values(rows as never).execute();
      rows = [];
    }
  }
  await scene.db.sql("update spokes set cluster = 'elsewhere' where id = $1", [model]);
  world.store.compact();

  const recorder = createWriteRecorder(world.store, { keep: "the last", now: world.timers.now });
  const server = createApiServer(world, recorder);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    kubeconfig: kubeconfigOf(url),
    world,
    ids,
    writes: recorder.writes,
    async close() {
      world.timers.close();
      await closeServer(server);
    },
  };
}

/** Replaces names in the value. All copies share the objects that contain none of the names, to save memory. */
function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (typeof value === "string") return (names.get(value) ?? replaced(value, names)) as T;
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const copy = Array.isArray(value)
    ? value.map((item) => note(item, renamed(item, names)))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, note(item, renamed(item, names))]));
  return changed ? copy as T : value;

  function note(before: unknown, after: unknown): unknown {
    changed ||= before !== after;
    return after;
  }
}

/** Replaces host names, also within longer texts. Replaces a slug only if the slug is the whole text. */
function replaced(text: string, names: ReadonlyMap<string, string>): string {
  const long = [...names].filter(([name]) => name.includes(".") && text.includes(name));
  return long.reduce((now, [name, other]) => now.replaceAll(name, other), text);
}
