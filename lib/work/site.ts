/** Where a job's work is done: the row of its spoke or hub, what it is made from, and its place in the cluster. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { HubInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { hubInputs, withMail } from "#lib/catalog/inputs.ts";
import { type Cluster, ClusterError, type Space, type Waiting } from "#lib/drivers/cluster/cluster.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export const JOB = { apiVersion: "batch/v1", kind: "Job" };

export interface SpokeSite {
  readonly spoke: SpokeRow;
  readonly inputs: SpokeInputs;
  readonly cluster: Cluster;
}

export interface HubSite {
  readonly hub: FederationRow;
  readonly inputs: HubInputs;
  readonly cluster: Cluster;
}

/** Rows are read anew in each step: the one before may have run elsewhere. */
export async function openSpokeSite(app: App, run: Run): Promise<SpokeSite> {
  const spoke = await app.db.rows.selectFrom("spokes").selectAll().where("id", "=", run.job.spokeId)
    .executeTakeFirstOrThrow();
  const inputs = withMail(app.config, v.parse(SpokeInputs, spoke.blueprint_inputs));
  return { spoke, inputs, cluster: await app.clusters.open(spoke.cluster) };
}

export async function openHubSite(app: App, run: Run): Promise<HubSite> {
  const hub = await app.db.rows.selectFrom("federations").selectAll().where("id", "=", run.job.federationId)
    .executeTakeFirstOrThrow();
  const { id, namespace, slug, region } = hub;
  const inputs = hubInputs(app.catalog, app.config, { federationId: id, namespace, slug, region });
  return { hub, inputs, cluster: await app.clusters.open(hub.cluster) };
}

/** The namespace that the row remembers. */
export function spaceOf({ cluster }: { cluster: Cluster }, row: SpokeRow | FederationRow): Space {
  if (row.namespace_uid === null) {
    const message = `The namespace ${row.namespace} was never made`;
    throw new ClusterError("NotFound", message, { transient: false });
  }
  return cluster.space(row.namespace, row.namespace_uid);
}

export async function openSpace(app: App, run: Run): Promise<SpokeSite & { readonly space: Space }> {
  const site = await openSpokeSite(app, run);
  return { ...site, space: spaceOf(site, site.spoke) };
}

/** For what waits: as long as the step may, telling people what for. */
export function waiting(run: Run, most = Infinity): Waiting {
  const { signal, check } = run;
  return { signal, check, timeout: Math.min(run.patience(), most), onProgress: (text) => run.progress(text) };
}

/** Adds what was left out to the notes of the operation; the same note is not made twice. */
export async function note(run: Run, notes: readonly string[]): Promise<void> {
  const before: unknown = run.job.progress.notes;
  const all = new Set([...Array.isArray(before) ? before.map(String) : [], ...notes]);
  if (notes.length > 0) await run.remember({ notes: [...all] });
}
