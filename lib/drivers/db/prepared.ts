/**
 * Queries that are built once a process. To build one and to write it as SQL costs more than to read a row by it; what
 * every request asks is therefore prepared, and all else is not.
 */
import type { Compilable, CompiledQuery, InferResult } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** Stands in a prepared query where a value will be. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The query that `build` makes, with other values each time: `build` is called once, with what stands for them. So it may
 * hand them on as values, and neither look at them nor decide by them. A list is one value, for `= any(…)`.
 */
export function prepare<Given extends object, Query extends Compilable<unknown>>(
  build: (rows: Rows, given: Given) => Query,
): (rows: Rows, given: Given) => Promise<InferResult<Query>> {
  let compiled: CompiledQuery | undefined;
  const stands = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Given;
  return async (rows, given) => {
    // A plugin has to see each query with its values: tests count and read them by one.
    if (rows.getExecutor().plugins.length > 0) {
      return (await rows.executeQuery(build(rows, given))).rows as InferResult<Query>;
    }
    compiled ??= build(rows, stands).compile() as CompiledQuery;
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? given[value.name as keyof Given] : value
    );
    return (await rows.executeQuery({ ...compiled, parameters })).rows as InferResult<Query>;
  };
}
