/**
 * Passwords: scrypt, kept as a PHC string such as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`.
 *
 * scrypt because it is memory-hard and both runtimes have it. A password is hashed as it was typed: nothing is trimmed,
 * folded or normalised. An address that has no password costs what a wrong password costs, so that nobody learns from
 * the clock who has an account here.
 */
import { randomBytes, scrypt } from "node:crypto";
import { constantTimeEqual } from "@oslojs/crypto/subtle";
import { decodeBase64IgnorePadding, encodeBase64NoPadding } from "@oslojs/encoding";
import { openWorkLimiter, type WorkLimiter } from "#lib/drivers/crypto/work-limiter.ts";
import type { QueueEntry } from "#lib/base/limits/fair-queue.ts";

interface Cost {
  /** Binary logarithm of N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** What a hash of today costs: 32 MiB and about a fifth of a second; one of OWASP's equivalent scrypt settings. */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16, HASH_BYTES = 32;

// Two of the four threads that the runtime has for such work: names must still be resolved and files read.
const CONCURRENCY = 2;
// Under two seconds of work; a caller that comes when more is waiting is better told so than kept.
const MAX_WAITING = 16;

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{8,128})\$([A-Za-z0-9+/]{8,128})$/;

/** `outdated` is right too, but its hash is cheaper than today's and should be made anew. */
type PasswordCheck = "right" | "outdated" | "wrong";

/** Both say whose turn it is, and throw Fault unavailable `busy`. */
export interface PasswordHasher {
  hash(password: string, turn: QueueEntry): Promise<string>;
  /** Null is the hash of nobody: it takes as long, and is never right. */
  verify(password: string, hash: string | null, turn: QueueEntry): Promise<PasswordCheck>;
}

/** Hashing for many callers: each run takes 32 MiB and a processor. */
export function openPasswordHasher(gate: WorkLimiter = openWorkLimiter(CONCURRENCY, MAX_WAITING)): PasswordHasher {
  return {
    hash: (password, turn) => gate(turn, () => hashPassword(password)),
    verify: (password, hash, turn) => gate(turn, () => verifyPassword(password, hash)),
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
  const maxmem = 128 * r * (N + p + 2); // what scrypt takes with these; the default allows half of it
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, { N, r, p, maxmem }, (error, key) => error ? reject(error) : resolve(key));
  });
}

function write({ ln, r, p }: Cost, salt: Uint8Array, key: Uint8Array): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${encodeBase64NoPadding(salt)}$${encodeBase64NoPadding(key)}`;
}

function read(hash: string): { cost: Cost; salt: Uint8Array; key: Uint8Array } {
  const [, ln, r, p, salt, key] = PHC.exec(hash) ?? [];
  if (!salt || !key) throw new Error("A stored password hash is not a PHC string of scrypt");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { cost, salt: decodeBase64IgnorePadding(salt), key: decodeBase64IgnorePadding(key) };
}
