/**
 * The hash that seals an audit event together with all that came before it in its chain.
 *
 * Format 1, for the writer of another verifier. The events of a chain stand in the order of (at, id), ids
 * compared byte by byte. Each is written as these 16 lines of UTF-8, each ended by one line feed (10):
 *
 *   the text `wheelwright audit 1`
 *   the hash of the event before it, 64 hexadecimal digits in lower case; for the first event 64 zeros
 *   id, kind, actor id, actor email, object type, object id
 *   metadata, as PostgreSQL writes a jsonb: keys by their length in bytes and then byte by byte, `, ` and `: ` between
 *   ip, user agent
 *   at, in milliseconds since 1970-01-01T00:00:00Z, in decimal
 *   federation id, spoke id, audience user id
 *   customer visible: `true` or `false`
 *
 * A line is the value's length in bytes, in decimal, a colon, and the value; for a value that is null, only a hyphen.
 * So no two events are written alike, whatever stands in them, line feeds included. The event's hash is the SHA-256 of
 * that text, and the head of a chain is the hash of its last sealed event.
 *
 * Metadata is taken as the database's own text because reading it as JSON would lose digits of long numbers.
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
