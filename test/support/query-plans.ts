/** Explains each SQL statement that a function runs: its query plan, and the amount of data that PostgreSQL reads. */
import { Kysely, sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { createKyselyDialect } from "#lib/drivers/db/dialect.ts";
import { openPool } from "#lib/drivers/db/pool.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { MINUTE } from "#lib/base/time.ts";

export interface QueryPlan {
  readonly query: string;
  /** The number of 8 KiB pages read from memory or disk; 0 for a statement that only writes. */
  readonly buffers: number;
  readonly milliseconds: number;
  /** The number of searches from each index's root, keyed by index name. */
  readonly searches: ReadonlyMap<string, number>;
  /** The number of rows that the statement returned. */
  readonly rows: number;
  /** The names of used indexes and of completely scanned tables. */
  readonly indexes: readonly string[];
  readonly scannedTables: readonly string[];
  /** The plan as PostgreSQL prints it, line by line. */
  readonly lines: readonly string[];
}

export interface QueryExplainer {
  /** Runs `work` and returns the query plan for each of its statements. Rolls back all writes by `work`. */
  explain(work: (rows: RowQueries) => Promise<unknown>): Promise<QueryPlan[]>;
  close(): Promise<void>;
}

/** Connects to the database at `url`. `settings` are PostgreSQL settings for the session, such as enable_seqscan. */
export function openQueryExplainer(url: string, settings: Readonly<Record<string, string>> = {}): QueryExplainer {
  const pool = openPool({ url, name: "explainer", size: 1, settings });
  const rows: RowQueries = new Kysely<Schema>({ dialect: createKyselyDialect({ pool, limit: 10 * MINUTE }) });
  return {
    async explain(work) {
      const statements: { sql: string; parameters: readonly unknown[] }[] = [];
      const listening: RowQueries = new Kysely<Schema>({
        dialect: createKyselyDialect({ pool, limit: 10 * MINUTE }),
        log: (event) => void statements.push(event.query),
      });
      await undone(rows, () => work(listening));
      return await undone(rows, async () => {
        const plans: QueryPlan[] = [];
        for (const query of statements) plans.push(await explainOne(rows, query));
        return plans;
      });
    },
    close: () => pool.close(),
  };
}

/** Runs `work` in a transaction, then rolls back. The pool's only connection runs all statements of `work`. */
async function undone<T>(rows: RowQueries, work: () => Promise<T>): Promise<T> {
  await sql`begin`.execute(rows);
  try {
    return await work();
  } finally {
    await sql`rollback`.execute(rows);
  }
}

async function explainOne(
  rows: RowQueries,
  query: { sql: string; parameters: readonly unknown[] },
): Promise<QueryPlan> {
  const ask = async (options: string) => {
    const compiled = { ...sql``.compile(rows), ...query, sql: `explain (${options}) ${query.sql}` };
    return (await rows.executeQuery<{ "QUERY PLAN": unknown }>(compiled)).rows.map((row) => row["QUERY PLAN"]);
  };
  await sql`savepoint asked`.execute(rows);
  const [measured] = await ask("analyze, buffers, format json");
  await sql`rollback to savepoint asked`.execute(rows);
  const { Plan: top, "Execution Time": milliseconds } = (measured as { Plan: Node; "Execution Time": number }[])[0]!;
  const nodes = flatten(top);
  return {
    query: query.sql,
    buffers: top["Node Type"] === "ModifyTable"
      ? 0
      : (top["Shared Hit Blocks"] ?? 0) + (top["Shared Read Blocks"] ?? 0),
    milliseconds,
    searches: top["Node Type"] === "ModifyTable" ? new Map() : searchesOf(nodes),
    rows: top["Actual Rows"] ?? 0,
    indexes: [...new Set(nodes.flatMap((node) => node["Index Name"] ?? []))],
    scannedTables: nodes.flatMap((node) => node["Node Type"] === "Seq Scan" ? node["Relation Name"] ?? [] : []),
    lines: await ask("analyze, buffers, costs off, summary off") as string[],
  };
}

interface Node {
  readonly "Node Type": string;
  readonly "Actual Rows"?: number;
  readonly "Index Name"?: string;
  readonly "Index Searches"?: number;
  readonly "Relation Name"?: string;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
}

function searchesOf(nodes: readonly Node[]): Map<string, number> {
  const searches = new Map<string, number>();
  for (const { "Index Name": name, "Index Searches": more = 0 } of nodes) {
    if (name !== undefined) searches.set(name, (searches.get(name) ?? 0) + more);
  }
  return searches;
}

function flatten(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
