/** Implements `wheelwright restore --new-cluster`: recreates the hubs and spokes of a lost cluster in a new cluster. */
import type { Config } from "#lib/base/config.ts";
import {
  listLostClusterObjects,
  type LostClusterObject,
  type LostObjectFilter,
  restoreLostClusterObject,
} from "#lib/domains/backups/new-cluster.ts";
import { markSpokeLost, retireLostTemplates } from "#lib/domains/backups/lost-cluster.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { SpokeWithHubSlug } from "#lib/domains/spokes/find-by-name.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { connectConfiguredClusters } from "./open-clusters.ts";
import { renderLostClusterPreview, renderLostClusterReport } from "./restore-report.ts";
import { CommandError, EXIT } from "../cli/exit-status.ts";

interface NewClusterOptions {
  /** The spoke to recreate. Null recreates all hubs and spokes. */
  readonly spoke: SpokeWithHubSlug | null;
  readonly hub: string | undefined;
  readonly dryRun: boolean;
}

/** Requests operations that recreate lost hubs and spokes. Returns a report. Throws ClusterError if a cluster fails. */
export async function restoreInNewCluster(
  db: Database,
  config: Config,
  requester: Requester,
  options: NewClusterOptions,
): Promise<string> {
  const { spoke, dryRun } = options, range = await lostFilterOf(db, options);
  const clusters = (await connectConfiguredClusters(config, "restore")).clusters;
  try {
    const lost = await listLostClusterObjects({ db, clusters }, range);
    if (spoke && !lost.some((each) => each.spoke)) throw new CommandError(EXIT.data, notLostMessage(spoke));
    if (dryRun) return renderLostClusterPreview(lost);
    const done: (readonly [LostClusterObject, string | null])[] = [];
    for (const each of lost) {
      const job = each.keepReason === null ? await restoreLostClusterObject({ db }, requester, each) : null;
      if (each.spoke && each.keepReason !== null) await markSpokeLost({ db }, requester, each.spoke, each.keepReason);
      done.push([each, job?.id ?? null]);
    }
    if (lost.length > 0) await retireLostTemplates({ db, clusters });
    return renderLostClusterReport(done);
  } finally {
    await clusters.close();
  }
}

async function lostFilterOf(db: Database, { spoke, hub: name }: NewClusterOptions): Promise<LostObjectFilter> {
  if (spoke) return { spokeId: spoke.id };
  if (name === undefined) return {};
  const hub = await findFederation(db.rows, name, "hidden");
  if (!hub) throw new CommandError(EXIT.data, `No hub ${name} found. Use the slug or ID of a hub`);
  return { hubId: hub.id };
}

function notLostMessage({ slug, state, namespaceUid }: SpokeWithHubSlug): string {
  if (state === "removed") {
    return `The spoke ${slug} was removed. Backups of a removed spoke can be used only in the spoke's former cluster`;
  }
  return namespaceUid === null
    ? `The spoke ${slug} has no namespace yet. The spoke is ${state}, and its current operation creates one`
    : `The spoke ${slug} is in the current cluster. Restore the spoke without --new-cluster`;
}
