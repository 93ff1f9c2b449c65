/** Finds the sandboxes (temporary namespaces) that site templates, queued jobs or running jobs still need. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** VolumeSnapshotContents in use by site templates, and the IDs of templates and jobs that need a sandbox namespace. */
export interface NeededSandboxes {
  readonly contents: ReadonlySet<string>;
  readonly ids: readonly string[];
}

/**
 * Reads which sandboxes and snapshots are still needed. Call this after listing the cluster's objects. Rows are written
 * before objects are created, so every needed object in the list already has a row.
 */
export async function readNeededSandboxes(rows: RowQueries): Promise<NeededSandboxes> {
  const [templates, { rows: jobs }] = await Promise.all([
    rows.selectFrom("templates").select(["id", "state", "volumes"]).execute(),
    sql<{ id: string; template: string | null }>`select id, payload ->> 'template' as template from jobs
      where state in ('queued', 'running')`.execute(rows),
  ]);
  const volumes = templates.flatMap((template) => template.volumes as readonly { readonly content?: string }[]);
  return {
    contents: new Set(volumes.flatMap(({ content }) => content ?? [])),
    ids: [
      ...templates.filter(({ state }) => state !== "failed").map(({ id }) => id),
      ...jobs.flatMap(({ id, template }) => template === null ? [id] : [id, template]),
    ],
  };
}

/** Returns whether a sandbox namespace is needed. Its name ends with the last characters of a template or job ID. */
export function isNeededSandbox({ ids }: Pick<NeededSandboxes, "ids">, namespace: string): boolean {
  const end = namespace.slice(namespace.lastIndexOf("-") + 1);
  return ids.some((id) => id.endsWith(end));
}
