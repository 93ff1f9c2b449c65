/** Reads the rows of one cluster from the database. */
import { sql } from "kysely";
import type { DatedBackup } from "#lib/domains/backups/retention.ts";
import { type NeededSandboxes, readNeededSandboxes } from "#lib/domains/templates/needed.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { ADOPTION_ID_LENGTH } from "#lib/moodle/names.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type ChangesAfterRestore, readChangesAfterRestore } from "#lib/doctor/reconcile/outdated-rows.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";

export interface KnownRows {
  /** Rows by ID: those of this cluster, and those whose namespace was found in it. */
  readonly hubs: ReadonlyMap<string, FederationRow>;
  readonly spokes: ReadonlyMap<string, SpokeRow>;
  readonly changesAfterRestore: ChangesAfterRestore;
  /** Queued and running operations, keyed by hub or spoke ID. Removals are not included. */
  readonly busy: ReadonlyMap<string, readonly LiveOperation[]>;
  /** IDs of all backups, except unfinished ones that no operation continues. */
  readonly backups: ReadonlySet<string>;
  /** The snapshot contents of this cluster's ready backups. */
  readonly ready: readonly { readonly id: string; readonly spokeId: string; readonly contents: readonly string[] }[];
  /** All backups, keyed by the random part of their IDs. */
  readonly cut: ReadonlyMap<string, KnownBackup>;
  /** Suffixes of operation IDs, which are part of the names of restored and copied volumes. */
  readonly turns: ReadonlySet<string>;
  readonly needed: NeededSandboxes;
  /** IDs of sandboxes that running jobs use. */
  readonly sandboxes: ReadonlySet<string>;
}

export interface KnownBackup {
  readonly id: string;
  readonly spokeId: string;
  readonly state: DatedBackup["state"];
  readonly contents: readonly string[];
}

export type LiveOperation = Pick<Job, "id" | "kind" | "createdAt">;

export async function readKnownRows(
  rows: Rows,
  { name, namespaces }: ClusterSurvey,
  restoredAt: Date | null,
): Promise<KnownRows> {
  const seen = [...namespaces.values()], ids = (of: (string | null)[]) => [...new Set(of.filter((id) => id !== null))];
  const [hubs, spokes, jobs, backups, templates, changesAfterRestore, turns, needed] = await Promise.all([
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
    rows.selectFrom("templates").select("id").where("state", "=", "creating").execute(),
    readChangesAfterRestore(rows, restoredAt),
    readTurns(rows),
    readNeededSandboxes(rows),
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
    ...{ changesAfterRestore, busy },
    backups: new Set(known.map(({ id }) => id)),
    ready: ready.map(({ id, spokeId, volumes }) => ({ ...{ id, spokeId }, contents: contentsOf(volumes) })),
    cut: new Map(backups.map(({ id, spokeId, state, volumes }) => [
      id.slice(id.indexOf("_") + 1),
      { ...{ id, spokeId, state: state as DatedBackup["state"] }, contents: contentsOf(volumes) },
    ])),
    ...{ turns, needed },
    sandboxes: new Set([...jobs, ...templates].map(({ id }) => id)),
  };
}

function contentsOf(volumes: unknown): string[] {
  return (volumes as { content?: string }[]).flatMap(({ content }) => content ?? []);
}

/**
 * Reads the suffixes of restores and of operations that created spokes. The names of their volumes contain the
 * suffixes, and a removal deletes these volumes.
 */
async function readTurns(rows: Rows): Promise<Set<string>> {
  const { rows: found } = await sql<{ turn: string }>`
    select blueprint_inputs -> 'origin' ->> 'turn' as turn from spokes where blueprint_inputs -> 'origin' ? 'turn'
    union select turn from template_uses
    union select right(jobs.id, ${ADOPTION_ID_LENGTH}) from jobs where kind = 'restore' or state in ('queued', 'running')`
    .execute(rows);
  return new Set(found.map(({ turn }) => turn));
}

/** Returns the list, or a list with an empty string, because SQL needs at least one value. */
function some(ids: string[]): string[] {
  return ids.length > 0 ? ids : [""];
}

/** Returns the namespaces of all hubs and spokes in the database, whatever RELEASE_ID they were created with. */
export async function listNamespaces(rows: Rows): Promise<string[]> {
  const [hubs, spokes] = await Promise.all([
    rows.selectFrom("federations").select("namespace").execute(),
    rows.selectFrom("spokes").select("namespace").execute(),
  ]);
  return [...hubs, ...spokes].map(({ namespace }) => namespace);
}
