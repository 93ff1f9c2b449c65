/** Finds the sandboxes (temporary namespaces) that a template or a queued or running job still needs. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** The VolumeSnapshotContents that templates use, and the IDs of templates and jobs that need a sandbox. */
export interface NeededSandboxes {
  readonly contents: ReadonlySet<string>;
  readonly ids: readonly string[];
}

/**
 * Reads which sandboxes and snapshots are needed. Call this after listing the cluster's objects: their rows are written
 * first, so every listed object that is needed already has one.
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

/** Returns whether the sandbox is needed. A sandbox's namespace ends like the ID that it was created for. */
export function isNeededSandbox({ ids }: Pick<NeededSandboxes, "ids">, namespace: string): boolean {
  const end = namespace.slice(namespace.lastIndexOf("-") + 1);
  return ids.some((id) => id.endsWith(end));
}
