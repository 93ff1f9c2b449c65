/** Reads the database rows that belong to one cluster, for `reconcile`. */
import { sql } from "kysely";
import type { RetentionCandidate } from "#lib/domains/backups/retention.ts";
import { type NeededSandboxes, readNeededSandboxes } from "#lib/domains/templates/store.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { ADOPTION_ID_LENGTH } from "#lib/moodle/names.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type ChangesAfterRestore, readChangesAfterRestore } from "#lib/doctor/reconcile/changed-fields.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";

export interface ClusterRows {
  /** Hubs that are assigned to this cluster or have a namespace in it, keyed by hub ID. */
  readonly hubs: ReadonlyMap<string, FederationRow>;
  /** Spokes that are assigned to this cluster or have a namespace in it, keyed by spoke ID. */
  readonly spokes: ReadonlyMap<string, SpokeRow>;
  readonly changesAfterRestore: ChangesAfterRestore;
  /** Operations that are queued or running, except removals, keyed by hub or spoke ID. */
  readonly liveOperations: ReadonlyMap<string, readonly UnfinishedOperation[]>;
  /** IDs of all backups, except unfinished backups that no running operation is creating. */
  readonly backupIds: ReadonlySet<string>;
  /** Backups in this cluster that are ready, with the names of their snapshot contents. */
  readonly readyBackups: readonly {
    readonly id: string;
    readonly ownerId: string;
    readonly contents: readonly string[];
  }[];
  /** All backups, keyed by backup ID without the ID's prefix. */
  readonly backupsBySuffix: ReadonlyMap<string, StoredBackup>;
  /** The ends of operation IDs, which are part of the names of restored and copied volumes. */
  readonly operationSuffixes: ReadonlySet<string>;
  readonly neededSandboxes: NeededSandboxes;
  /** IDs of the sandboxes (temporary namespaces) that running jobs use. */
  readonly sandboxIds: ReadonlySet<string>;
}

export interface StoredBackup {
  readonly id: string;
  /** The spoke's ID, or the hub's ID for a backup of the library of its courses. */
  readonly ownerId: string;
  readonly state: RetentionCandidate["state"];
  readonly contents: readonly string[];
}

export type UnfinishedOperation = Pick<Job, "id" | "kind" | "createdAt">;

export async function readClusterRows(
  rows: RowQueries,
  { name, namespaces }: ClusterSurvey,
  restoredAt: Date | null,
): Promise<ClusterRows> {
  const observed = [...namespaces.values()],
    ids = (of: (string | null)[]) => [...new Set(of.filter((id) => id !== null))];
  const [hubs, spokes, jobs, backups, libraries, templates, changesAfterRestore, operationSuffixes, needed] =
    await Promise.all([
      rows.selectFrom("federations").selectAll()
        .where((is) =>
          is.or([is("cluster", "=", name), is("id", "in", orEmptyString(ids(observed.map(({ hubId }) => hubId))))])
        )
        .orderBy("createdAt").execute(),
      rows.selectFrom("spokes").selectAll()
        .where((is) =>
          is.or([is("cluster", "=", name), is("id", "in", orEmptyString(ids(observed.map(({ spokeId }) => spokeId))))])
        )
        .orderBy("createdAt").execute(),
      rows.selectFrom("jobs").select(["id", "kind", "visible", "spokeId", "federationId", "createdAt"])
        .where("state", "in", ["queued", "running"]).orderBy("seq").execute(),
      rows.selectFrom("backups").select(["id", "spokeId", "operationId", "state", "volumes", "cluster"]).orderBy(
        "createdAt",
      ).execute(),
      rows.selectFrom("library_backups").select(["id", "federationId", "jobId", "state", "volumes", "cluster"]).orderBy(
        "createdAt",
      ).execute(),
      rows.selectFrom("templates").select("id").where("state", "=", "creating").execute(),
      readChangesAfterRestore(rows, restoredAt),
      readOperationSuffixes(rows),
      readNeededSandboxes(rows),
    ]);
  const operations = jobs.filter(({ visible, kind }) => visible && kind !== "remove" && kind !== "remove-hub");
  const liveOperations = Map.groupBy(operations, ({ spokeId, federationId }) => spokeId ?? federationId ?? "");
  const unfinishedJobIds = new Set(
    jobs.filter((job) => !operations.includes(job) || restoredAt === null || job.createdAt >= restoredAt)
      .map(({ id }) => id),
  );
  const all = [
    ...backups.map(({ spokeId: ownerId, ...row }) => ({ ...row, ownerId })),
    ...libraries.map(({ federationId: ownerId, jobId: operationId, ...row }) => ({ ...row, ownerId, operationId })),
  ];
  const knownBackups = all.filter(({ state, operationId }) => state !== "pending" || unfinishedJobIds.has(operationId));
  const readyBackups = all.filter(({ state, cluster }) => state === "ready" && cluster === name);
  return {
    hubs: new Map(hubs.map((row) => [row.id, row])),
    spokes: new Map(spokes.map((row) => [row.id, row])),
    ...{ changesAfterRestore, liveOperations },
    backupIds: new Set(knownBackups.map(({ id }) => id)),
    readyBackups: readyBackups.map(({ id, ownerId, volumes }) => ({
      ...{ id, ownerId },
      contents: contentNames(volumes),
    })),
    backupsBySuffix: new Map(all.map(({ id, ownerId, state, volumes }) => [
      id.slice(id.indexOf("_") + 1),
      { ...{ id, ownerId, state: state as RetentionCandidate["state"] }, contents: contentNames(volumes) },
    ])),
    ...{ operationSuffixes, neededSandboxes: needed },
    sandboxIds: new Set([...jobs, ...templates].map(({ id }) => id)),
  };
}

function contentNames(volumes: unknown): string[] {
  return (volumes as { content?: string }[]).flatMap(({ content }) => content ?? []);
}

/**
 * Reads the ID suffixes of operations that restored or created spokes. The names of the volumes that these operations
 * created contain the suffixes.
 */
async function readOperationSuffixes(rows: RowQueries): Promise<Set<string>> {
  const { rows: suffixRows } = await sql<{ suffix: string }>`
    select blueprint_inputs -> 'origin' ->> 'adoptionId' as suffix from spokes
    where blueprint_inputs -> 'origin' ? 'adoptionId'
    union select adoption_id from template_uses
    union select right(jobs.id, ${ADOPTION_ID_LENGTH}) from jobs where kind = 'restore' or state in ('queued', 'running')`
    .execute(rows);
  return new Set(suffixRows.map(({ suffix }) => suffix));
}

/** Returns the IDs. Replaces an empty list with one empty string, because SQL's `in` needs at least one value. */
function orEmptyString(ids: string[]): string[] {
  return ids.length > 0 ? ids : [""];
}

/** Returns the namespaces of all hubs and spokes that the database contains. */
export async function listStoredNamespaces(rows: RowQueries): Promise<string[]> {
  const [hubs, spokes] = await Promise.all([
    rows.selectFrom("federations").select("namespace").execute(),
    rows.selectFrom("spokes").select("namespace").execute(),
  ]);
  return [...hubs, ...spokes].map(({ namespace }) => namespace);
}
