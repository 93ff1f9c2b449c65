/**
 * Removes from messages the details that only operators can act on: kubectl commands, snapshot names and addresses
 * inside the cluster. Messages are stored in full. The details are removed when other users read a message.
 */
import { removeInternalAddresses } from "#lib/base/addresses.ts";

const COMMAND = /(?:[:,]? |\s*\()(?:kubectl|wheelwright restore)\b(?:(?!\. |[;)])[^])*\)?/g;
const CONTENT = /\b(?:VolumeSnapshotContent|snapshot content) "?[\w.-]*\w"?|\bsnapcontent-[\w.-]*\w/g;

/** Matches text without any detail to remove, such as an ID or a slug. */
const PLAIN = /^(?!.*(?:\bip-\d|\bsnapcontent-))[\w-]*$/i;

/** Removes commands, addresses inside the cluster, and the names of stored snapshots. */
export function removeOperatorDetails(sentence: string): string {
  if (PLAIN.test(sentence)) return sentence;
  return removeInternalAddresses(sentence.replace(COMMAND, ""))
    .replace(CONTENT, (_, at: number) => at === 0 ? "The stored snapshot" : "the stored snapshot");
}

export function removeOperatorDetailsDeep<T>(value: T): T {
  if (typeof value === "string") return removeOperatorDetails(value) as T;
  if (Array.isArray(value)) return value.map((item) => removeOperatorDetailsDeep(item)) as T;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, removeOperatorDetailsDeep(item)])) as T;
}

/** Removes operator details from all text in `value`, unless the reader is an operator. */
export function hideOperatorDetails<T>({ role }: { readonly role: string }, value: T): T {
  return role === "operator" ? value : removeOperatorDetailsDeep(value);
}
