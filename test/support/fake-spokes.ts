/** Creates fake spokes for tests that need volumes or many spokes. Each has a database row, and a namespace with two
 * bound volumes in the simulated cluster, but no running site. */
import { buildNamespaceName } from "#lib/moodle/names.ts";
import { RELEASE } from "#test/support/release.ts";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { TestDatabase } from "#test/support/database.ts";
import { createId } from "#lib/base/ids.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { until } from "#test/support/until.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const API = "snapshot.storage.k8s.io/v1";
export const CSI_DRIVER = "simulated.csi.example";

export interface FakeSpoke {
  readonly id: string;
  readonly namespace: string;
  readonly federationId: string;
}

/** Creates an object in a cluster with a POST request, and returns the created object. */
export async function postObject(cluster: string, path: string, body: unknown): Promise<KubeObject> {
  const response = await fetch(cluster + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Prepares a hub for fake spokes: cancels the hub's jobs and leaves the hub in a transitional state, so that no
 * installation starts. */
export async function prepareHub(db: TestDatabase, hub: Pick<FederationRow, "id">): Promise<void> {
  await queryRows(db, "update jobs set state = 'cancelled', finished_at = now() where federation_id = $1", [hub.id]);
}

/** Creates an active fake spoke (without a running site) in this cluster. */
export async function createFakeSpoke(
  app: App,
  db: TestDatabase,
  actor: Actor,
  hub: FederationRow,
  slug: string,
  cluster: { readonly url: string },
): Promise<FakeSpoke> {
  return (await createFakeSpokes(app, db, actor, hub, [slug], cluster))[0]!;
}

/** Creates many active fake spokes: the first spoke with `createSpoke`, the others as copies of its row. Without a
 * cluster URL, creates only rows. */
export async function createFakeSpokes(
  app: App,
  db: TestDatabase,
  actor: Actor,
  hub: FederationRow,
  slugs: readonly string[],
  cluster: { readonly url?: string; readonly name?: string },
): Promise<FakeSpoke[]> {
  const [first, ...others] = slugs;
  const { id } = await createSpoke(app, actor, hub, { slug: first, size: "small" } as never, null);
  await updateRows(db, "jobs", { state: "cancelled", finishedAt: NOW }, { spokeId: id, state: "queued" });
  await updateRows(db, "spokes", {
    state: "active",
    readyAt: NOW,
    namespaceUid: "",
    cluster: cluster.name ?? "default",
  }, { id });
  const row = await db.rows.selectFrom("spokes").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const copies = others.map((slug) => {
    const id = createId("spk"), domain = `${slug}.spokes.example.org`;
    const blueprintInputs = JSON.stringify(row.blueprintInputs);
    return {
      ...row,
      id,
      slug,
      domain,
      namespace: buildNamespaceName("spoke", { release: RELEASE, slug, id }),
      blueprintInputs,
      drift: null,
      policy: null,
    };
  });
  if (copies.length > 0) await db.rows.insertInto("spokes").values(copies).execute();
  const planted = [row, ...copies].map(({ id, namespace }) => ({ id, namespace, federationId: hub.id }));
  if (cluster.url === undefined) return planted;
  const uids: string[] = [];
  for (let from = 0; from < planted.length; from += AT_ONCE) {
    const some = planted.slice(from, from + AT_ONCE);
    uids.push(...await Promise.all(some.map((spoke) => plantObjects(cluster.url!, spoke))));
  }
  await queryRows(
    db,
    "update spokes set namespace_uid = made.uid from unnest($1::text[], $2::text[]) as made (id, uid) where spokes.id = made.id",
    [planted.map(({ id }) => id), uids],
  );
  return planted;
}

const AT_ONCE = 10;

/** Creates a namespace with two PVCs, which are bound without a pod. Returns the namespace's UID. */
async function plantObjects(url: string, { id, namespace, federationId }: FakeSpoke): Promise<string> {
  const labels = {
    "app.kubernetes.io/managed-by": "wheelwright",
    "wheelwright.dev/federation": federationId,
    "wheelwright.dev/spoke": id,
  };
  const made = await postObject(url, "/api/v1/namespaces", { metadata: { name: namespace, labels } });
  await Promise.all(
    ["files", "data-db-0"].map((name) =>
      postObject(url, `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
        metadata: { name, labels, annotations: { "volume.kubernetes.io/selected-node": "127.0.0.1" } },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
      })
    ),
  );
  return made.metadata.uid!;
}

export interface PastBackup {
  readonly at: Date;
  readonly kind?: "nightly" | "manual" | "upgrade";
  readonly state?: "ready" | "failed";
}

/** Creates backups from earlier days in the database and the cluster. Returns the backup IDs, in the given order. */
export async function insertBackups(
  db: TestDatabase,
  cluster: string,
  spoke: FakeSpoke,
  history: readonly PastBackup[],
): Promise<string[]> {
  return await Promise.all(history.map(async ({ at, kind = "nightly", state = "ready" }) => {
    const id = createId("bak");
    const volumes = await Promise.all(["files", "data-db-0"].map(async (claim) => {
      const short = claim === "files" ? "files" : "db";
      const name = `${short}-${id.slice(4)}`;
      const { metadata: { uid: snapshotUid } } = await postObject(
        cluster,
        `/apis/${API}/namespaces/${spoke.namespace}/volumesnapshots`,
        {
          metadata: { name, labels: { "wheelwright.dev/backup": id, "wheelwright.dev/spoke": spoke.id } },
          spec: { volumeSnapshotClassName: "standard-retain", source: { persistentVolumeClaimName: claim } },
        },
      );
      // Uses the same names as the snapshot controllers do.
      const [content, handle] = [`snapcontent-${snapshotUid}`, `snapshot-${snapshotUid}`];
      const snapshotFields = { snapshotUid, content, handle, driver: CSI_DRIVER };
      return { claim, snapshot: name, ...(state === "ready" && snapshotFields) };
    }));
    await queryRows(
      db,
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, volumes, created_at,
         ready_at, failed_at, error)
       values ($1, $2, $3, $4, 'default', $5, $6, $7, $8::text::jsonb, $9,
         case when $7 = 'ready' then $9::timestamptz end, case when $7 = 'failed' then $9::timestamptz end,
         case when $7 = 'failed' then 'it did not work' end)`,
      [
        id,
        spoke.id,
        spoke.federationId,
        createId("op"),
        spoke.namespace,
        kind,
        state,
        JSON.stringify(volumes),
        at,
      ],
    );
    return id;
  }));
}

/** Waits until the cluster's controllers have processed all objects that this module created. */
export async function waitForControllers(objects: (kind?: string) => readonly KubeObject[]): Promise<void> {
  await until(() =>
    objects("PersistentVolumeClaim").every((claim) => claim["status"]?.phase === "Bound") &&
    objects("VolumeSnapshot").every((snapshot) => snapshot["status"]?.readyToUse === true)
  );
}

/** Sets the database's clock to this time. */
export async function setDatabaseClock(db: TestDatabase, to: Date): Promise<void> {
  await db.shiftClock(to.getTime() - Date.now());
}

/** Returns the IDs of backups for which both snapshots exist in the cluster. */
export function backupsIn(objects: (kind?: string) => readonly KubeObject[], namespace: string): string[] {
  const ids = objects("VolumeSnapshot").filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.labels?.["wheelwright.dev/backup"] ?? "");
  return [...new Set(ids)].filter((id) => ids.filter((each) => each === id).length === 2).sort();
}
