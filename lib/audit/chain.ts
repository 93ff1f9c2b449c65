/**
 * Computes an audit event's hash, which also covers all earlier events in the same chain.
 *
 * Definition of format 1, for other verifiers: Events are ordered by (at, id), with IDs compared byte by byte. Each
 * event is encoded as these 16 lines of UTF-8, each followed by one line feed (10):
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
 * Each line contains the value's length in bytes (in decimal), a colon, and the value, or a single hyphen for null.
 * The event's hash is the SHA-256 of the encoding. A chain's head is the hash of its last sealed event. Metadata is
 * hashed as the database prints it, because parsing it as JSON would lose digits of long numbers.
 */
import { createHash } from "node:crypto";
import { isId } from "#lib/base/ids.ts";

/** The hash that precedes the first event of every chain. */
export const CHAIN_START_HASH = "0".repeat(64);

/** The ID of the chain (sequence of hashed events) for events without a hub. Every other chain has its hub's ID. */
export const SYSTEM_CHAIN = "system";

/** An audit event with all fields that its hash covers. */
export interface ChainedEvent {
  readonly id: string;
  readonly kind: string;
  readonly actorId: string;
  readonly actorEmail: string;
  readonly objectType: string;
  readonly objectId: string;
  /** The event's jsonb metadata as PostgreSQL prints it. */
  readonly metadata: string;
  readonly ip: string;
  readonly userAgent: string;
  /** The event's time in milliseconds since 1970, as a decimal string. */
  readonly at: string;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly audienceUserId: string | null;
  readonly customerVisible: boolean;
}

/** Returns the hash of an event in lower-case hexadecimal. `previous` is the hash of the event before it. */
export function hashChainedEvent(previous: string, link: ChainedEvent): string {
  return createHash("sha256").update(serializeLink(previous, link), "utf8").digest("hex");
}

function serializeLink(previous: string, link: ChainedEvent): string {
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

export interface ChainHead {
  readonly chain: string;
  /** The number of sealed events, which is at least 1. */
  readonly count: number;
  /** The hash of the chain's last sealed event. */
  readonly hash: string;
}

export function formatChainHead({ chain, count, hash }: ChainHead): string {
  return `${chain}:${count}:${hash}`;
}

/** Parses a chain head such as `CHAIN:COUNT:HASH`. Returns null if the text has a different format. */
export function parseChainHead(text: string): ChainHead | null {
  const [, chain, count, hash] = /^(\w+):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  return chain && count && hash && isChainName(chain) ? { chain, count: Number(count), hash } : null;
}

export function isChainName(text: string): boolean {
  return text === SYSTEM_CHAIN || isId("fed", text);
}
