/** Where in two documents a comparison stands, and in which direction what stands there travels. */
import type { Change, Kind } from "#lib/docs/contract/finding.ts";
import type { Shapes } from "#lib/docs/contract/shapes.ts";

/**
 * What is sent may be wider than it was, and what is answered narrower. A schema that is used for both is compared in
 * both directions, each time where it is used.
 */
export type Direction = "request" | "response";

export interface Place {
  readonly direction: Direction;
  readonly was: Shapes;
  readonly is: Shapes;
  /** What the path begins at: `the body`, `answer 200`, `query parameter limit`. */
  readonly root: string;
  /** Within the root: `operation.waitingFor.kind`, or nothing. */
  readonly path: string;
  /** The same within the named schema nearest above, or null. */
  readonly within: string | null;
  /** Each pair of schemas that is being compared: one that comes again consists of itself, and is looked at already. */
  readonly above: readonly (readonly [unknown, unknown])[];
}

/** One step down: to a field, or with `[]` to what a list has in it, `{*}` a map. */
export function step(at: Place, name: string): Place {
  const dot = name === "[]" || name === "{*}" ? "" : ".";
  return {
    ...at,
    path: at.path === "" ? name : `${at.path}${dot}${name}`,
    within: at.within && `${at.within}${dot}${name}`,
  };
}

/** The same place, from where on paths are told within the schema of that name. */
export function into(at: Place, name: string | null): Place {
  return name === null ? at : { ...at, within: name };
}

export function change(at: Place, kind: Kind, says: string): Change {
  return { kind, where: at.path === "" ? at.root : `${at.root}: ${at.path}`, within: at.within, says };
}

/** How a sentence calls it: `` `kind` ``, or what it is of the request. */
export function subject(at: Place): string {
  const last = at.path.split(".").at(-1)!;
  return last === "" ? at.root : `\`${last}\``;
}
