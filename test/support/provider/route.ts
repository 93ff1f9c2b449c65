/** Defines the parts of an API endpoint of the simulated provider. */
import type { ParamRules } from "#test/support/provider/params.ts";
import type { Json } from "#test/support/provider/records.ts";
import type { World } from "#test/support/provider/world.ts";

type Handle = (world: World, given: Record<string, Json>, ...ids: string[]) => Json;

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  readonly rules: ParamRules;
  readonly handle: Handle;
}

/** Creates an API endpoint. `:id` in the path matches any single segment. */
export function createRoute(method: string, path: string, rules: ParamRules, handle: Handle): Route {
  return { method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "([^/]+)")}$`), rules, handle };
}
