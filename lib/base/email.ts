/**
 * The one form in which an e-mail address is kept and compared, so that one person is one account: the domain as its A-label, the
 * local part in lower case and in Unicode's form NFC. Characters that nobody sees are refused: two addresses that look alike
 * would be two accounts.
 */
import { isIP } from "node:net";
import { toAsciiHost } from "#lib/base/host.ts";

const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const LOCAL = /^[^@<>(),;:"\\[\]]{1,64}$/u;
const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_LENGTH = 254;

/** Returns the address in its one form, or null where the text is none. Its domain may be a single label: admin@localhost. */
export function canonicalEmail(text: string): string | null {
  const trimmed = text.trim(), at = trimmed.lastIndexOf("@");
  if (at < 1 || trimmed.length > MAX_LENGTH * 2 || !trimmed.isWellFormed() || INVISIBLE.test(trimmed)) return null;
  const local = trimmed.slice(0, at).normalize("NFC").toLowerCase().normalize("NFC"), name = trimmed.slice(at + 1);
  if (!LOCAL.test(local) || name.endsWith(".")) return null;
  const domain = toAsciiHost(name);
  if (domain === null || !LABELS.test(domain) || isIP(domain) !== 0 && domain !== name) return null;
  const address = `${local}@${domain}`;
  return address.length <= MAX_LENGTH ? address : null;
}

/** Returns the canonical form of a search text, which may be only the beginning of an address. */
export function canonicalPrefix(text: string): string {
  return canonicalEmail(text) ?? text.normalize("NFC").toLowerCase();
}
