/** What the database says of what stands, or should stand, in one cluster. */
import type { Rows } from "#lib/drivers/db/database.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { readWishes, type Wishes } from "#lib/doctor/reconcile/behind.ts";
import type { ClusterSight } from "#lib/doctor/reconcile/sight.ts";

export interface KnownRows {
  /** By id: of this cluster, and those that it shows. */
  readonly hubs: ReadonlyMap<string, FederationRow>;
  readonly spokes: ReadonlyMap<string, SpokeRow>;
  readonly wishes: Wishes;
  /** By their ids: what of theirs is queued or running, removals aside. */
  readonly busy: ReadonlyMap<string, readonly LiveOperation[]>;
  /** Ids of backups, whatever has become of them; but for those that were under way, and that nobody goes on with. */
  readonly backups: ReadonlySet<string>;
  /** Of backups that are ready here: the contents of their snapshots. */
  readonly ready: readonly { readonly id: string; readonly spokeId: string; readonly contents: readonly string[] }[];
  /** Ids that sandboxes of work under way bear. */
  readonly sandboxes: ReadonlySet<string>;
}

export type LiveOperation = Pick<Job, "id" | "kind" | "createdAt">;

export async function readKnownRows(
  rows: Rows,
  { name, namespaces }: ClusterSight,
  restoredAt: Date | null,
): Promise<KnownRows> {
  const seen = [...namespaces.values()], ids = (of: (string | null)[]) => [...new Set(of.filter((id) => id !== null))];
  const [hubs, spokes, jobs, backups, templates, wishes] = await Promise.all([
    rows.selectFrom("federations").selectAll()
      .where((is) => is.or([is("cluster", "=", name), is("id", "in", some(ids(seen.map(({ hubId }) => hubId))))]))
      .orderBy("createdAt").execute(),
    rows.selectFrom("spokes").selectAll()
      .where((is) => is.or([is("cluster", "=", name), is("id", "in", some(ids(seen.map(({ spokeId }) => spokeId))))]))
      .orderBy("createdAt").execute(),
    rows.selectFrom("jobs").select(["id", "kind", "visible", "spokeId", "federationId", "createdAt"])
      .where("state", "in", ["queued", "running"]).orderBy("seq").execute(),
    rows.selectFrom("backups").select(["id", "spokeId", "operationId", "state", "volumes", "cluster"]).orderBy(
      "createdAt",
    ).execute(),
    rows.selectFrom("templates").select("id").where("state", "=", "making").execute(),
    readWishes(rows, restoredAt),
  ]);
  const operations = jobs.filter(({ visible, kind }) => visible && kind !== "remove" && kind !== "remove-hub");
  const busy = Map.groupBy(operations, ({ spokeId, federationId }) => spokeId ?? federationId ?? "");
  const carriedOn = new Set(
    jobs.filter((job) => !operations.includes(job) || restoredAt === null || job.createdAt >= restoredAt)
      .map(({ id }) => id),
  );
  const known = backups.filter(({ state, operationId }) => state !== "pending" || carriedOn.has(operationId));
  const ready = backups.filter(({ state, cluster }) => state === "ready" && cluster === name);
  return {
    hubs: new Map(hubs.map((row) => [row.id, row])),
    spokes: new Map(spokes.map((row) => [row.id, row])),
    ...{ wishes, busy },
    backups: new Set(known.map(({ id }) => id)),
    ready: ready.map(({ id, spokeId, volumes }) => ({
      ...{ id, spokeId },
      contents: (volumes as { content?: string }[]).flatMap(({ content }) => content ?? []),
    })),
    sandboxes: new Set([...jobs, ...templates].map(({ id }) => id)),
  };
}

/** A list must not be empty. */
function some(ids: string[]): string[] {
  return ids.length > 0 ? ids : [""];
}

/** Returns the namespaces of all hubs and spokes that the database knows, whatever RELEASE_ID they were created with. */
export async function listNamespaces(rows: Rows): Promise<string[]> {
  const [hubs, spokes] = await Promise.all([
    rows.selectFrom("federations").select("namespace").execute(),
    rows.selectFrom("spokes").select("namespace").execute(),
  ]);
  return [...hubs, ...spokes].map(({ namespace }) => namespace);
}
