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
 * hand them on as values, and neither look at them nor decide by them. A list is one value, for `= any(…)`. What may be
 * absent, it may decide by: each set of values that are there is a query of its own.
 */
export function prepare<Given extends object, Query extends Compilable<unknown>>(
  build: (rows: Rows, given: Given) => Query,
): (rows: Rows, given: Given) => Promise<InferResult<Query>> {
  const known = new Map<string, CompiledQuery>();

  function compile(rows: Rows, names: readonly string[]): CompiledQuery {
    const stands = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    return build(rows, stands as Given).compile() as CompiledQuery;
  }

  return async (rows, given) => {
    // A plugin has to see each query with its values: tests count and read them by one.
    if (rows.getExecutor().plugins.length > 0) {
      return (await rows.executeQuery(build(rows, given))).rows as InferResult<Query>;
    }
    const names = Object.keys(given).filter((name) => given[name as keyof Given] !== undefined), key = names.join();
    const compiled = known.get(key) ?? compile(rows, names);
    known.set(key, compiled);
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? given[value.name as keyof Given] : value
    );
    return (await rows.executeQuery({ ...compiled, parameters })).rows as InferResult<Query>;
  };
}
