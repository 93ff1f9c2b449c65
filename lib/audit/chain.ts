/**
 * Computes the hash that seals an audit event together with all earlier events of its chain.
 *
 * Format 1, for authors of other verifiers. Events are ordered by (at, id); IDs are compared byte by byte. Each event
 * is encoded as these 16 lines of UTF-8, each followed by one line feed (10):
 *
 *   the text `wheelwright audit 1`
 *   the hash of the previous event, 64 hexadecimal digits in lower case; 64 zeros for the first event
 *   id, kind, actor id, actor email, object type, object id
 *   metadata, as PostgreSQL writes a jsonb: keys ordered by byte length, then byte by byte; separators `, ` and `: `
 *   ip, user agent
 *   at, in milliseconds since 1970-01-01T00:00:00Z, in decimal
 *   federation id, spoke id, audience user id
 *   customer visible: `true` or `false`
 *
 * A line is the value's length in bytes, in decimal, a colon, and the value. A null value is a single hyphen. Different
 * events therefore have different encodings, even if values contain line feeds. The event's hash is the SHA-256 of the
 * encoding. The head of a chain is the hash of its last sealed event. Metadata is the database's own text, because
 * parsing it as JSON would lose digits of long numbers.
 */
import { createHash } from "node:crypto";

/** The hash before the first event of a chain. */
export const FIRST_PREVIOUS_HASH = "0".repeat(64);

/** The chain of events that belong to no hub. Every other chain is named by its hub's ID. */
export const SYSTEM_CHAIN = "system";

/** All fields of an audit event. */
export interface ChainLink {
  readonly id: string;
  readonly kind: string;
  readonly actorId: string;
  readonly actorEmail: string;
  readonly objectType: string;
  readonly objectId: string;
  /** The jsonb as text. */
  readonly metadata: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Milliseconds since 1970, in decimal. */
  readonly at: string;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly audienceUserId: string | null;
  readonly customerVisible: boolean;
}

/** Returns the hash of an event that follows the one with the hash `previous`, in lower-case hexadecimal. */
export function hashLink(previous: string, link: ChainLink): string {
  return createHash("sha256").update(serializeLink(previous, link), "utf8").digest("hex");
}

function serializeLink(previous: string, link: ChainLink): string {
  const values = [
    "wheelwright audit 1",
    previous,
    link.id,
    link.kind,
    link.actorId,
    link.actorEmail,
    link.objectType,
    link.objectId,
    link.metadata,
    link.ip,
    link.userAgent,
    link.at,
    link.federationId,
    link.spokeId,
    link.audienceUserId,
    String(link.customerVisible),
  ];
  return values.map((value) => value === null ? "-\n" : `${Buffer.byteLength(value)}:${value}\n`).join("");
}
