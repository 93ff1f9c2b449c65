/** Defines the types of Kubernetes objects in the simulated cluster. Stored objects are never modified in place. */

/** A JSON value that a client sent or will receive. */
// deno-lint-ignore no-explicit-any
export type Json = any;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time: string;
  fieldsType: "FieldsV1";
  fieldsV1: Json;
  subresource?: string;
}

export interface ObjectMetadata {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMetadata;
  [field: string]: Json;
}

/** Whether two JSON values are equal. Ignores the order of keys and treats an undefined value as a missing key. */
export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, i) => isSameJson(item, b[i]));
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSameJson(a[name], b[name])) return false;
  return true;
}

export function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats a time (milliseconds since 1970) as the Kubernetes API does: RFC 3339 in UTC, with whole seconds. */
export function formatTimestamp(at: number): string {
  return new Date(at).toISOString().slice(0, 19) + "Z";
}

/** Returns a random suffix for a generated object name. The suffix has no vowels, so that it never forms a word. */
export function createRandomSuffix(length = 5): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join("");
}

/** Returns a hash of the text as a name suffix, as in the names that Kubernetes derives from a pod template. */
export function createHashSuffix(text: string, length = 10): string {
  const letters = "bcdf2456789ghjklmnpqrstvwxz";
  let low = 0x811c9dc5, high = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high + text.charCodeAt(i), 0x85ebca6b) ^ (high >>> 13);
  }
  let hash = (low >>> 0) * 0x100000 + (high >>> 12);
  let suffix = "";
  for (let i = 0; i < length; i++, hash = Math.floor(hash / 27)) suffix += letters[hash % 27];
  return suffix;
}
