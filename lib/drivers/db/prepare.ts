/**
 * Compiles a query once per process, because building and compiling a query takes longer than reading a row. Only
 * queries that run in every request are prepared.
 */
import type { CompiledQuery, QueryExecutorProvider } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The common interface of Kysely's query builders and `sql`. */
interface Buildable<Row> {
  compile(executor: QueryExecutorProvider): CompiledQuery<Row>;
}

type RowOf<Query> = Query extends Buildable<infer Row> ? Row : never;

/**
 * Prepares the query that `build` returns. `build` receives placeholders, which it may pass on but not read. A list is
 * a single value, for `= any(…)`. `build` may check whether an optional value is undefined, because each combination of
 * present values is prepared separately.
 */
export function prepareQuery<Values extends object, Query extends Buildable<unknown>>(
  build: (rows: RowQueries, values: Values) => Query,
): (rows: RowQueries, values: Values) => Promise<RowOf<Query>[]> {
  const compile = compiler(build);
  return async (rows, values) => (await rows.executeQuery(compile(rows, values))).rows as RowOf<Query>[];
}

/**
 * Prepares a fast read that uses an index. Outside a transaction, the read uses a shared connection (pipeline.ts),
 * where a slow read would delay other reads.
 */
export function prepareReadOnSharedConnection<Values extends object, Query extends Buildable<unknown>>(
  build: (rows: RowQueries, values: Values) => Query,
): (rows: RowQueries, values: Values) => Promise<RowOf<Query>[]> {
  const compile = compiler(build);
  return async (rows, values) => {
    const query = compile(rows, values);
    const found = rows.readShared
      ? await rows.readShared(query.sql, query.parameters)
      : (await rows.executeQuery(query)).rows;
    return found as RowOf<Query>[];
  };
}

function compiler<Values extends object>(build: (rows: RowQueries, values: Values) => Buildable<unknown>) {
  const cache = new Map<string, CompiledQuery>();

  return function compile(rows: RowQueries, values: Values): CompiledQuery {
    // Skips the prepared query if plugins are installed, because tests use a plugin that inspects each query's values.
    if (rows.getExecutor().plugins.length > 0) return build(rows, values).compile(rows) as CompiledQuery;
    const names = Object.keys(values).filter((name) => values[name as keyof Values] !== undefined), key = names.join();
    const compiled = cache.get(key) ?? compileWithPlaceholders(rows, names);
    cache.set(key, compiled);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name as keyof Values] : value
    );
    return { ...compiled, parameters };
  };

  function compileWithPlaceholders(rows: RowQueries, names: readonly string[]): CompiledQuery {
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    return build(rows, placeholders as Values).compile(rows) as CompiledQuery;
  }
}
