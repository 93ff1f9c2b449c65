/** Wraps a database and records each statement's kind, including statements in transactions. */
import type { KyselyPlugin } from "kysely";
import type { Database, Tx } from "#lib/drivers/db/database.ts";

export function recordStatements(db: Database, statements: string[]): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => (statements.push(node.kind), node),
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return {
    ...db,
    rows: db.rows.withPlugin(plugin),
    transact: (work) =>
      db.transact((tx) => {
        statements.push("transaction");
        return work(Object.assign(tx.withPlugin(plugin), { wakes: tx.wakes }) as Tx);
      }),
  };
}
