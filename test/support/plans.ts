/** How PostgreSQL answers what a function asks: the plan of each of its reads, with the buffers that it touched. */
import { Kysely, sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import { openDialect } from "#lib/drivers/db/dialect.ts";
import { openPool } from "#lib/drivers/db/pool.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { MINUTE } from "#lib/base/time.ts";

export interface Plan {
  readonly query: string;
  /** Pages of 8 KiB that were looked at, found in memory or not. */
  readonly buffers: number;
  readonly milliseconds: number;
  /** Indexes that it names, and tables that it walks from end to end. */
  readonly indexes: readonly string[];
  readonly walked: readonly string[];
  /** The plan as people read it. */
  readonly lines: readonly string[];
}

export interface Explainer {
  /** Asks, and returns the plan of each statement that the work has asked. */
  explain(work: (rows: Rows) => Promise<unknown>): Promise<Plan[]>;
  close(): Promise<void>;
}

/** `settings` are the session's, such as enable_seqscan. */
export function openExplainer(url: string, settings: Readonly<Record<string, string>> = {}): Explainer {
  const pool = openPool({ url, name: "explainer", size: 1, settings });
  const rows: Rows = new Kysely<Schema>({ dialect: openDialect({ pool, limit: 10 * MINUTE }) });
  return {
    async explain(work) {
      const asked: { sql: string; parameters: readonly unknown[] }[] = [];
      const listening: Rows = new Kysely<Schema>({
        dialect: openDialect({ pool, limit: 10 * MINUTE }),
        log: (event) => void asked.push(event.query),
      });
      await work(listening);
      const plans: Plan[] = [];
      for (const query of asked) plans.push(await explainOne(rows, query));
      return plans;
    },
    close: () => pool.close(),
  };
}

async function explainOne(rows: Rows, query: { sql: string; parameters: readonly unknown[] }): Promise<Plan> {
  const ask = async (options: string) => {
    const compiled = { ...sql``.compile(rows), ...query, sql: `explain (${options}) ${query.sql}` };
    return (await rows.executeQuery<{ "QUERY PLAN": unknown }>(compiled)).rows.map((row) => row["QUERY PLAN"]);
  };
  const [measured] = await ask("analyze, buffers, format json");
  const { Plan: top, "Execution Time": milliseconds } = (measured as { Plan: Node; "Execution Time": number }[])[0]!;
  const nodes = flatten(top);
  return {
    query: query.sql,
    buffers: (top["Shared Hit Blocks"] ?? 0) + (top["Shared Read Blocks"] ?? 0),
    milliseconds,
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
    walked: nodes.flatMap((node) => node["Node Type"] === "Seq Scan" ? node["Relation Name"] ?? [] : []),
    lines: await ask("analyze, buffers, costs off, summary off") as string[],
  };
}

interface Node {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
