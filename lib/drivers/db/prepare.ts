/**
 * Queries that are built once a process. To build one and to write it as SQL costs more than to read a row by it; what
 * every request asks is therefore prepared, and all else is not.
 */
import type { CompiledQuery, QueryExecutorProvider } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** Stands in a prepared query where a value will be. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** What builders of queries, and `sql` itself, have in common. */
interface Buildable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>;
}

type RowOf<Query> = Query extends Buildable<infer Row> ? Row : never;

/**
 * The query that `build` makes, with other values each time: `build` is called once, with what stands for them. So it may
 * hand them on as values, and neither look at them nor decide by them. A list is one value, for `= any(…)`. What may be
 * absent, it may decide by: each set of values that are there is a query of its own.
 */
export function prepare<Given extends object, Query extends Buildable<unknown>>(
  build: (rows: Rows, given: Given) => Query,
): (rows: Rows, given: Given) => Promise<RowOf<Query>[]> {
  const compile = compiler(build);
  return async (rows, given) => (await rows.executeQuery(compile(rows, given))).rows as RowOf<Query>[];
}

/**
 * The same for a read that an index answers at once, however much there is. Outside of a transaction it goes over a
 * connection that many share (pipeline.ts), where a slow one would be waited for by others.
 */
export function prepareShared<Given extends object, Query extends Buildable<unknown>>(
  build: (rows: Rows, given: Given) => Query,
): (rows: Rows, given: Given) => Promise<RowOf<Query>[]> {
  const compile = compiler(build);
  return async (rows, given) => {
    const query = compile(rows, given);
    const found = rows.readShared
      ? await rows.readShared(query.sql, query.parameters)
      : (await rows.executeQuery(query)).rows;
    return found as RowOf<Query>[];
  };
}

function compiler<Given extends object>(build: (rows: Rows, given: Given) => Buildable<unknown>) {
  const known = new Map<string, CompiledQuery>();

  return function compile(rows: Rows, given: Given): CompiledQuery {
    // A plugin has to see each query with its values: tests count and read them by one.
    if (rows.getExecutor().plugins.length > 0) return build(rows, given).compile(rows) as CompiledQuery;
    const names = Object.keys(given).filter((name) => given[name as keyof Given] !== undefined), key = names.join();
    const compiled = known.get(key) ?? compileWithPlaceholders(rows, names);
    known.set(key, compiled);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? given[value.name as keyof Given] : value
    );
    return { ...compiled, parameters };
  };

  function compileWithPlaceholders(rows: Rows, names: readonly string[]): CompiledQuery {
    const stands = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    return build(rows, stands as Given).compile(rows) as CompiledQuery;
  }
}
