/**
 * Ids: a short type prefix and 128 bits in lower-case base32, ordered by time.
 *
 * The first 48 bits are milliseconds since the epoch, the rest is random: rows made together lie together in an
 * index, and nobody can guess a neighbour. Clients must treat an id as opaque.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's: sorts as its values do, and has no i, l, o, u

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
  | "tpl"
  | "rsr";

/** For example `spk_06fj2c4v7tq0w1x9n3m8k5r2dg`: the prefix, an underscore and 26 letters or digits. */
export function newId(prefix: IdPrefix): string {
  const bytes = randomBytes();
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 0x10000));
  new DataView(bytes.buffer).setUint16(4, Date.now() % 0x10000);
  return `${prefix}_${encode(bytes)}`;
}

/** 16 random bytes as 32 digits, for what other programs name so. */
export function randomHex(): string {
  return Buffer.from(randomBytes().buffer).toString("hex");
}

const ID_BYTES = 16;
let pool = new Uint8Array(), used = 0;

/** To ask for random bytes costs much more than the bytes do, so they are asked for in advance. */
function randomBytes(): Uint8Array<ArrayBuffer> {
  if (used === pool.length) [pool, used] = [crypto.getRandomValues(new Uint8Array(256 * ID_BYTES)), 0];
  return pool.slice(used, used += ID_BYTES);
}

/** Whether the text is shaped like an id of this type; it says nothing about whether such a thing exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix + "_") && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1));
}

/** Five bits a letter, from the last one on. */
function encode(bytes: Uint8Array): string {
  let text = "", bits = 0, bitCount = 0;
  for (let i = bytes.length - 1; i >= 0; i--) {
    bits |= bytes[i]! << bitCount;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5, bits >>= 5) text = ALPHABET[bits & 31] + text;
  }
  return ALPHABET[bits] + text;
}
