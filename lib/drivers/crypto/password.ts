/**
 * Hashes passwords with scrypt, in the PHC format `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. Passwords are hashed exactly
 * as they were typed. A check takes the same time for users without a password, so that the response time does not
 * reveal who has an account.
 */
import { randomBytes, scrypt } from "node:crypto";
import { constantTimeEqual } from "@oslojs/crypto/subtle";
import { decodeBase64IgnorePadding, encodeBase64NoPadding } from "@oslojs/encoding";
import { openWorkLimiter, type WorkLimiter } from "#lib/drivers/crypto/work-limiter.ts";
import type { QueueEntry } from "#lib/base/limits/fair-queue.ts";

interface Cost {
  /** The binary logarithm of scrypt's cost parameter N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** The cost of new hashes: 32 MiB and about 0.2 s. OWASP recommends these scrypt settings. */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16, HASH_BYTES = 32;

// The maximum number of hashes computed at the same time, by two of the runtime's four worker threads. The other two
// threads remain free for DNS queries and file access.
const CONCURRENCY = 2;
// The maximum number of queued calls. A queued call takes less than two seconds. Further calls fail immediately.
const MAX_WAITING = 16;

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{8,128})\$([A-Za-z0-9+/]{8,128})$/;

/** The result of a password check. `outdated`: the password is right, but its hash has a lower cost than new hashes. */
type PasswordCheck = "right" | "outdated" | "wrong";

/** Hashes and verifies passwords. Both methods queue the call, and throw the fault `busy` if the queue is full. */
export interface PasswordHasher {
  hash(password: string, entry: QueueEntry): Promise<string>;
  /** Verifies a password. If `hash` is null, verification takes the same time and returns "wrong". */
  verify(password: string, hash: string | null, entry: QueueEntry): Promise<PasswordCheck>;
}

/** Creates a hasher that limits concurrency, because each hash needs 32 MiB and a processor core. */
export function openPasswordHasher(limit: WorkLimiter = openWorkLimiter(CONCURRENCY, MAX_WAITING)): PasswordHasher {
  return {
    hash: (password, entry) => limit(entry, () => hashPassword(password)),
    verify: (password, hash, entry) => limit(entry, () => verifyPassword(password, hash)),
  };
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return write(COST, salt, await derive(password, salt, COST, HASH_BYTES));
}

export async function verifyPassword(password: string, hash: string | null): Promise<PasswordCheck> {
  const { cost, salt, key } = read(hash ?? write(COST, new Uint8Array(SALT_BYTES), new Uint8Array(HASH_BYTES)));
  const same = constantTimeEqual(await derive(password, salt, cost, key.length), key);
  if (!same || hash === null) return "wrong";
  return isCheaper(cost, COST) ? "outdated" : "right";
}

function isCheaper(a: Cost, b: Cost): boolean {
  return a.ln < b.ln || a.r < b.r || a.p < b.p;
}

function derive(password: string, salt: Uint8Array, { ln, r, p }: Cost, bytes: number): Promise<Uint8Array> {
  const N = 2 ** ln;
  const maxmem = 128 * r * (N + p + 2); // bytes; Node.js allows only half as much by default
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, { N, r, p, maxmem }, (error, key) => error ? reject(error) : resolve(key));
  });
}

function write({ ln, r, p }: Cost, salt: Uint8Array, key: Uint8Array): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64NoPadding(salt)}$${encodeBase64NoPadding(key)}`;
}

function read(hash: string): { cost: Cost; salt: Uint8Array; key: Uint8Array } {
  const [, ln, r, p, salt, key] = PHC.exec(hash) ?? [];
  if (!salt || !key) throw new Error("A stored password hash is not an scrypt hash in PHC format");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { cost, salt: decodeBase64IgnorePadding(salt), key: decodeBase64IgnorePadding(key) };
}
