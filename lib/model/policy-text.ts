/** Writes and reads the values of a policy as text, for forms and for the command line. */
import { POLICY_FIELDS, type PolicyField, type PolicySection } from "#lib/model/policy.ts";

/** The fields whose values are kept in the hub's Kubernetes Secret `identity`. */
export const SECRET_FIELDS = ["clientSecret", "registrationToken"] as const satisfies readonly PolicyField<"signIn">[];

interface WebFileText {
  readonly url: string;
  readonly sha256: string;
}

/** Returns the type of a field's schema, such as `boolean`; undefined if the section has no such field. */
export function getPolicyFieldType(section: PolicySection, field: string): string | undefined {
  const fields: Readonly<Record<string, { readonly type: string }>> = POLICY_FIELDS[section];
  return Object.hasOwn(fields, field) ? fields[field]!.type : undefined;
}

/**
 * Returns the value for a request; null for an empty text. The API checks the value. A file is
 * written as `URL#SHA256`, and a list with commas.
 */
export function parsePolicyText(section: PolicySection, field: string, text: string): unknown {
  if (text === "") return null;
  const type = getPolicyFieldType(section, field);
  if (type === "number") return /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "array") return text.split(/[\s,]+/).filter((each) => each !== "");
  if (type !== "strict_object") return text;
  const at = text.lastIndexOf("#");
  return { url: text.slice(0, Math.max(at, 0)), sha256: text.slice(at + 1) } satisfies WebFileText;
}

/** Returns the value as text; an empty text for a value that is not set. */
export function formatPolicyText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.join(", ");
  const { url, sha256 } = value as WebFileText;
  return `${url}#${sha256}`;
}
