/**
 * Converts email addresses to a canonical form, so that each address has only one account. The domain is converted to
 * ASCII (an A-label), and the local part to lower case in Unicode NFC. Invisible characters are refused, because two
 * addresses that look identical could otherwise have separate accounts.
 */
import { isIP } from "node:net";
import { toAsciiHost } from "#lib/base/host.ts";

const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const LOCAL = /^[^@<>(),;:"\\[\]]{1,64}$/u;
const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_LENGTH = 254;

/** Returns the canonical email address, or null if invalid. Accepts domains without a dot (admin@localhost). */
export function canonicalizeEmail(text: string): string | null {
  const trimmed = text.trim(), at = trimmed.lastIndexOf("@");
  if (at < 1 || trimmed.length > MAX_LENGTH * 2 || !trimmed.isWellFormed() || INVISIBLE.test(trimmed)) return null;
  const local = trimmed.slice(0, at).normalize("NFC").toLowerCase().normalize("NFC"), name = trimmed.slice(at + 1);
  if (!LOCAL.test(local) || name.endsWith(".")) return null;
  const domain = toAsciiHost(name);
  if (domain === null || !LABELS.test(domain) || isIP(domain) !== 0 && domain !== name) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_LENGTH ? address : null;
}

/** Returns the canonical form of a search term, which may be the beginning of an email address. */
export function canonicalizeSearchTerm(text: string): string {
  return canonicalizeEmail(text) ?? text.normalize("NFC").toLowerCase();
}
