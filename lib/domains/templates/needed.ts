/** Reads which sandboxes are still needed: their templates are kept or being made, or a job works in them. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** The contents of snapshots that templates are made of, and the ends of the ids that sandboxes of running work are named after. */
export interface NeededSandboxes {
  readonly contents: ReadonlySet<string>;
  readonly ids: readonly string[];
}

/**
 * Read it after the cluster was listed: the row of a template or a job is written before anything is created for it. A failed
 * template needs only the contents that its row names; what else was cut for it is of no use.
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

/** Whether the sandbox of this namespace is one of them. The name ends as the id does. */
export function isNeededSandbox({ ids }: Pick<NeededSandboxes, "ids">, namespace: string): boolean {
  const end = namespace.slice(namespace.lastIndexOf("-") + 1);
  return ids.some((id) => id.endsWith(end));
}
