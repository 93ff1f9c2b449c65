/** Defines findings of the comparison of two surfaces. Each is a breaking change of one of the seven kinds that need an
 * announcement.
 *
 * A breaking change without its own kind uses the nearest one. A response that no longer occurs counts as removed
 * fields, and an insufficient scope as tighter validation. A request field that is no longer read may have been
 * renamed. */
import type { SchemaNode, Surface } from "#test/contract/parse-surface.ts";

/** Each kind with its heading. */
export const BREAKING_KINDS = {
  endpoint_removed: "removed endpoint",
  endpoint_moved: "endpoint with another method or path",
  response_field_removed: "removed response field",
  field_renamed: "renamed field, or field that is no longer read",
  type_changed: "changed field type",
  enum_changed: "changed enum values",
  validation_tightened: "tighter validation",
} as const;

export type BreakingKind = keyof typeof BREAKING_KINDS;

export interface Change {
  readonly kind: BreakingKind;
  /** The location within the operation: `answer 200: operation.error.hint`. */
  readonly where: string;
  /** The location within its named schema, or null: `Operation.error.hint`. */
  readonly within: string | null;
  /** The change, as a sentence or question without a full stop. */
  readonly message: string;
}

export interface Finding extends Change {
  /** The released operation that the change breaks: `GET /api/spokes/{spokeId}`. */
  readonly operation: string;
}

/** A request may accept more than before, and a response may contain less. */
type Direction = "request" | "response";

export interface SchemaPosition {
  readonly direction: Direction;
  readonly before: Surface;
  readonly after: Surface;
  /** Whether an unchanged node refers only to unchanged schemas. */
  readonly isUnchanged: (node: SchemaNode) => boolean;
  /** The start of the path: `the body`, `answer 200`, ``the query's `limit` ``. */
  readonly root: string;
  /** The path within the root: `operation.waitingFor.kind`, or empty. */
  readonly path: string;
  /** The path within the nearest named schema, or null. */
  readonly within: string | null;
  /**
   * The pairs that are being compared. A pair that occurs again is recursive, and its comparison is already running.
   */
  readonly above: readonly (readonly [SchemaNode, SchemaNode])[];
}

/** Returns the place one step deeper: `.slug`, `[]`, `{*}`. */
export function positionAt(at: SchemaPosition, name: string): SchemaPosition {
  return {
    ...at,
    path: at.path === "" ? name.replace(/^\./, "") : at.path + name,
    within: at.within && at.within + name,
  };
}

export function createChange(at: SchemaPosition, kind: BreakingKind, says: string): Change {
  return { kind, where: at.path === "" ? at.root : `${at.root}: ${at.path}`, within: at.within, message: says };
}

/** Returns the name of the place in a sentence: `` `kind` ``, or the part of the request. */
export function describePosition(at: SchemaPosition): string {
  const last = at.path.split(".").at(-1)!;
  return last === "" ? at.root : `\`${last}\``;
}
