/**
 * What is found when two documents of the API are compared: breaking changes, each of one of the seven kinds that are
 * promised not to come unannounced (spec 9.3).
 *
 * What breaks and has no kind of its own is told as the nearest: an answer that is never given again is fields that are
 * gone, a scope that is no longer enough is tighter validation, and a request field that is no longer read may have got
 * another name.
 */

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
