/**
 * Creates and checks API tokens, which consist of a prefix for the scope, 256 random bits and a checksum:
 *
 *   ww_cli_ 3n…43 letters and digits…Qk 0x7Lk2
 *
 * The prefix lets secret scanners find leaked tokens. The checksum detects mistyped tokens without a database query.
 */
import { crc32 } from "node:zlib";

export const TOKEN_SCOPES = ["cli", "provisioning", "readonly"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const SCOPE_PREFIXES: Readonly<Record<TokenScope, string>> = {
  cli: "ww_cli_",
  provisioning: "ww_prv_",
  readonly: "ww_ro_",
};
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32, RANDOM_WIDTH = 43, CHECKSUM_WIDTH = 6; // widths in base62 digits, for 256 and 32 bits
const PREFIX_RANDOM_LENGTH = 4;
const TOKEN = /^(ww_(?:cli|prv|ro)_)([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

interface NewToken {
  /** The complete token. Shown only once, to the user who created the token, and never stored. */
  readonly plaintext: string;
  /** The scope's prefix and four random characters: enough to recognise the token, but too few to guess it. */
  readonly prefix: string;
}

export function createApiToken(scope: TokenScope): NewToken {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const random = base62(bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n), RANDOM_WIDTH);
  const unchecked = SCOPE_PREFIXES[scope] + random;
  return {
    plaintext: unchecked + checksum(unchecked),
    prefix: SCOPE_PREFIXES[scope] + random.slice(0, PREFIX_RANDOM_LENGTH),
  };
}

/** Returns whether the text has the format of an API token and a valid checksum. */
export function isApiToken(text: string): boolean {
  const [, word, random, sum] = TOKEN.exec(text) ?? [];
  return word !== undefined && random !== undefined && checksum(word + random) === sum;
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_WIDTH);
}

function base62(value: bigint, width: number): string {
  let text = "";
  for (let rest = value; text.length < width; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
