/** Creates secrets for authenticator apps and checks their codes: six digits, SHA-1, 30 seconds (RFC 6238). */
import { timingSafeEqual } from "node:crypto";
import { decodeBase32IgnorePadding, encodeBase32UpperCaseNoPadding } from "@oslojs/encoding";
import { generateHOTP } from "@oslojs/otp";
import { SECOND } from "#lib/base/time.ts";

const STEP = 30 * SECOND, DIGITS = 6;
const SECRET_BYTES = 20; // the length of a SHA-1 hash, which RFC 4226 recommends
const DRIFT = 1; // the accepted difference in steps between the clocks of the phone and the server

/** Returns a new secret in base32, as users enter it in an app. */
export function createTotpSecret(): string {
  return encodeBase32UpperCaseNoPadding(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Returns the address that the QR code for an app contains. `host` tells the user which service the code is for. */
export function buildTotpUri(secret: string, host: string, email: string): string {
  const issuer = `Wheelwright ${host}`, label = `${issuer}:${email}`;
  const query = new URLSearchParams({ secret, issuer, algorithm: "SHA1", digits: `${DIGITS}`, period: "30" });
  return `otpauth://totp/${encodeURIComponent(label)}?${query.toString().replaceAll("+", "%20")}`;
}

/** Returns the code for the 30 seconds that contain the time. */
export function createTotpCode(secret: string, time: Date): string {
  return generateHOTP(decodeBase32IgnorePadding(secret), BigInt(toStep(time)), DIGITS);
}

/**
 * Returns the step (30 seconds since 1970) to which a code belongs, or null if the code is wrong. Accepts only steps
 * after `lastStep`, so that a code that somebody watched does not work again.
 */
export function findTotpStep(secret: string, code: string, time: Date, lastStep: number | null): number | null {
  const now = toStep(time), typed = Buffer.from(code.padEnd(DIGITS)), key = decodeBase32IgnorePadding(secret);
  let found: number | null = null;
  for (let step = now - DRIFT; step <= now + DRIFT; step++) {
    const expected = Buffer.from(generateHOTP(key, BigInt(step), DIGITS));
    const isRight = typed.length === expected.length && timingSafeEqual(typed, expected);
    if (isRight && step > (lastStep ?? -1)) found = step;
  }
  return found;
}

function toStep(time: Date): number {
  return Math.floor(time.getTime() / STEP);
}
