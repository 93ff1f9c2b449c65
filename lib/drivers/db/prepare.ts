/**
 * Compiles a query once per process, because building and compiling a query takes longer than reading a row. Only
 * queries that run in every request are prepared.
 */
import type { CompiledQuery, QueryExecutorProvider } from "kysely";
import type { ReadBatch, RowQueries } from "#lib/drivers/db/database.ts";
import { toColumnName } from "#lib/drivers/db/naming.ts";
import { READ_NUMBER } from "#lib/drivers/db/row-objects.ts";

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
  const prepare = preparer(build);
  return async (rows, values) =>
    (await rows.executeQuery(fillIn(prepare(rows, values), values))).rows as RowOf<Query>[];
}

interface SharedReadOptions<Values> {
  /**
   * Whether reads of the same moment are sent as a single statement. `build` must then pass on the values as parameters
   * of the types text, integer, bytea or timestamptz. Not for reads of many rows, because their callers would wait for
   * each other.
   */
  readonly batched: boolean;
  /** Returns whether the read is fast with these values. If not, it uses its own connection. */
  readonly isFast?: (values: Values) => boolean;
}

/**
 * Prepares a fast read that uses an index. Outside a transaction, the read uses a shared connection (pipeline.ts),
 * where a slow read would delay other reads.
 */
export function prepareReadOnSharedConnection<Values extends object, Query extends Buildable<unknown>>(
  build: (rows: RowQueries, values: Values) => Query,
  { batched, isFast = () => true }: SharedReadOptions<Values> = { batched: true },
): (rows: RowQueries, values: Values) => Promise<RowOf<Query>[]> {
  const prepare = preparer(build), texts = new Map<string, string>();

  function batchOf(
    { sql, parameters: placeholders }: CompiledQuery,
    filled: readonly unknown[],
  ): ReadBatch | undefined {
    const isKey = (i: number) => placeholders[i] instanceof Placeholder;
    // A list would become a part of a larger list, whose elements belong to other reads.
    if (!batched || !filled.some((_, i) => isKey(i)) || filled.some((value, i) => isKey(i) && Array.isArray(value))) {
      return undefined;
    }
    let text = texts.get(sql);
    if (text === undefined) texts.set(sql, text = buildBatchText(sql, filled, isKey));
    return { text, keys: filled.filter((_, i) => isKey(i)), constants: filled.filter((_, i) => !isKey(i)) };
  }

  return async (rows, values) => {
    const prepared = prepare(rows, values), query = fillIn(prepared, values);
    const found = rows.readShared && isFast(values)
      ? await rows.readShared(query.sql, query.parameters, batchOf(prepared, query.parameters))
      : (await rows.executeQuery(query)).rows;
    return found as RowOf<Query>[];
  };
}

/**
 * Returns a statement that runs the query once for each element of the keys' arrays. The subqueries hide the number of
 * elements from the planner, so that it reuses the plan. `offset 0` keeps the plan of the single query.
 */
function buildBatchText(sql: string, parameters: readonly unknown[], isKey: (i: number) => boolean): string {
  const keys = [...parameters.keys()].filter(isKey), constants = [...parameters.keys()].filter((i) => !isKey(i));
  const arrays = keys.map((i, n) => `(select $${n + 1}::${typeOf(parameters[i])}[])`);
  const names = keys.map((i) => `key_${i}`);
  const single = sql.replace(/\$(\d+)/g, (_, number) => {
    const i = Number(number) - 1;
    return isKey(i) ? `read.key_${i}` : `$${keys.length + constants.indexOf(i) + 1}`;
  });
  return `select read.number::integer as ${toColumnName(READ_NUMBER)}, found.*
    from unnest(${arrays.join(", ")}) with ordinality as read (${names.join(", ")}, number)
    cross join lateral (${single} offset 0) as found`;
}

function typeOf(value: unknown): "bytea" | "timestamptz" | "integer" | "text" {
  if (value instanceof Uint8Array) return "bytea";
  if (value instanceof Date) return "timestamptz";
  return typeof value === "number" ? "integer" : "text";
}

function fillIn<Values extends object>(prepared: CompiledQuery, values: Values): CompiledQuery {
  const parameters = prepared.parameters.map((value) =>
    value instanceof Placeholder ? values[value.name as keyof Values] : value
  );
  return { ...prepared, parameters };
}

/** Returns a function that compiles the query, once for each combination of present values. */
function preparer<Values extends object>(build: (rows: RowQueries, values: Values) => Buildable<unknown>) {
  const cache = new Map<string, CompiledQuery>();

  return function prepare(rows: RowQueries, values: Values): CompiledQuery {
    // Skips the prepared query if plugins are installed, because tests use a plugin that inspects each query's values.
    if (rows.getExecutor().plugins.length > 0) return build(rows, values).compile(rows) as CompiledQuery;
    let key = "";
    for (const name in values) if (values[name] !== undefined) key += `${name},`;
    let compiled = cache.get(key);
    if (!compiled) cache.set(key, compiled = compileWithPlaceholders(rows, key.split(",").slice(0, -1)));
    return compiled;
  };

  function compileWithPlaceholders(rows: RowQueries, names: readonly string[]): CompiledQuery {
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    return build(rows, placeholders as Values).compile(rows) as CompiledQuery;
  }
}
