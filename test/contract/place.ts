/**
 * What is found when two surfaces of the API are compared, and where: breaking changes, each of one of the seven kinds that
 * are promised not to come unannounced.
 *
 * What breaks and has no kind of its own is told as the nearest: an answer that is never given again is fields that are
 * gone, a scope that is no longer enough is tighter validation, and a request field that is no longer read may have got
 * another name.
 */
import type { Node, Surface } from "#test/contract/read.ts";

/** Each kind as a heading. */
export const KINDS = {
  endpoint_removed: "an endpoint is gone",
  endpoint_moved: "an endpoint has another method or path",
  response_field_removed: "a response field is gone",
  field_renamed: "a field has another name, or is no longer read",
  type_changed: "a field's type is another",
  enum_changed: "an enum's values are others",
  validation_tightened: "validation is tighter",
} as const;

export type Kind = keyof typeof KINDS;

export interface Change {
  readonly kind: Kind;
  /** Within the operation: `answer 200: operation.error.hint`. */
  readonly where: string;
  /** The same within the named schema that it stands in, or null: `Operation.error.hint`. */
  readonly within: string | null;
  /** What is other, a sentence, which may be a question; without its full stop. */
  readonly says: string;
}

export interface Finding extends Change {
  /** The released operation that it breaks: `GET /api/spokes/{spokeId}`. */
  readonly operation: string;
}

/** What is sent may be wider than it was, and what is answered narrower. */
type Direction = "request" | "response";

export interface Place {
  readonly direction: Direction;
  readonly before: Surface;
  readonly after: Surface;
  /** Whether a node that is the same in both refers to nothing that has changed. */
  readonly isUnchanged: (node: Node) => boolean;
  /** What the path begins at: `the body`, `answer 200`, ``the query's `limit` ``. */
  readonly root: string;
  /** Within the root: `operation.waitingFor.kind`, or nothing. */
  readonly path: string;
  /** The same within the named schema nearest above, or null. */
  readonly within: string | null;
  /** Each pair that is being compared: one that comes again consists of itself, and is looked at already. */
  readonly above: readonly (readonly [Node, Node])[];
}

/** One step further in: `.slug`, `[]`, `{*}`. */
export function step(at: Place, name: string): Place {
  return {
    ...at,
    path: at.path === "" ? name.replace(/^\./, "") : at.path + name,
    within: at.within && at.within + name,
  };
}

export function change(at: Place, kind: Kind, says: string): Change {
  return { kind, where: at.path === "" ? at.root : `${at.root}: ${at.path}`, within: at.within, says };
}

/** How a sentence calls it: `` `kind` ``, or what it is of the request. */
export function subject(at: Place): string {
  const last = at.path.split(".").at(-1)!;
  return last === "" ? at.root : `\`${last}\``;
}
