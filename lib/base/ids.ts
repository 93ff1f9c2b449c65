/**
 * Creates IDs that sort by creation time: a type prefix and 128 bits in lower-case base32. The first 48 bits are
 * milliseconds since the epoch, so that new rows are adjacent in an index. The other bits are random, so that IDs
 * cannot be guessed. Clients must treat IDs as opaque.
 */
// Crockford's base32 alphabet, which sorts in the order of its values and omits i, l, o and u.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

type IdPrefix =
  | "fed"
  | "spk"
  | "usr"
  | "evt"
  | "tok"
  | "op"
  | "ses"
  | "rep"
  | "req"
  | "ott"
  | "frq"
  | "bak"
  | "lib"
  | "tpl"
  | "rsr"
  | "rol"
  | "crs"
  | "fac"
  | "psi"
  | "whk"
  | "whd"
  | "tsi"
  | "idn";

/** Returns a new ID such as `spk_06fj2c4v7tq0w1x9n3m8k5r2dg`: a prefix, an underscore and 26 characters. */
export function createId(prefix: IdPrefix): string {
  const bytes = randomBytes();
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 0x10000));
  new DataView(bytes.buffer).setUint16(4, Date.now() % 0x10000);
  return `${prefix}_${encode(bytes)}`;
}

/** Returns 16 random bytes as 32 hexadecimal digits, for use as a trace ID. */
export function createRandomHex(): string {
  if (usedDigits === digits.length) {
    [digits, usedDigits] = [Buffer.from(crypto.getRandomValues(new Uint8Array(256 * ID_BYTES))).toString("hex"), 0];
  }
  return digits.slice(usedDigits, usedDigits += 2 * ID_BYTES);
}

const ID_BYTES = 16;
let pool = new Uint8Array(), used = 0;
let digits = "", usedDigits = 0; // of a second batch, as hexadecimal digits

/** Returns 16 random bytes from a pre-generated batch, because each getRandomValues call is expensive. */
function randomBytes(): Uint8Array<ArrayBuffer> {
  if (used === pool.length) [pool, used] = [crypto.getRandomValues(new Uint8Array(256 * ID_BYTES)), 0];
  return pool.slice(used, used += ID_BYTES);
}

/** Returns whether the text has the format of an ID with this prefix. Does not check that the object exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix + "_") && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1));
}

/** Encodes bytes in base32, five bits per character, starting with the last byte. */
function encode(bytes: Uint8Array): string {
  let text = "", bits = 0, bitCount = 0;
  for (let i = bytes.length - 1; i >= 0; i--) {
    bits |= bytes[i]! << bitCount;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5, bits >>= 5) text = ALPHABET[bits & 31] + text;
  }
  return ALPHABET[bits] + text;
}
