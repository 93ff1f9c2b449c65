/** Finds the sandboxes that are still needed, by a template or by a job that runs in them. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** The VolumeSnapshotContents that templates use, and the IDs of templates and jobs. */
export interface NeededSandboxes {
  readonly contents: ReadonlySet<string>;
  readonly ids: readonly string[];
}

/**
 * Reads the needed sandboxes and snapshots. Call this after listing the cluster's objects, because rows are written
 * before objects are created.
 */
export async function readNeededSandboxes(rows: Rows): Promise<NeededSandboxes> {
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

/** Returns whether the sandbox in this namespace is needed. The namespace and the ID have the same ending. */
export function isNeededSandbox({ ids }: Pick<NeededSandboxes, "ids">, namespace: string): boolean {
  const end = namespace.slice(namespace.lastIndexOf("-") + 1);
  return ids.some((id) => id.endsWith(end));
}
