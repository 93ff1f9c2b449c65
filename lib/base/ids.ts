/**
 * Ids: a short type prefix and 128 bits in lower-case base32, ordered by time.
 *
 * The first 48 bits are milliseconds since the epoch, the rest is random: rows made together lie together in an
 * index, and nobody can guess a neighbour. Clients must treat an id as opaque.
 */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's: sorts as its values do, and has no i, l, o, u

type IdPrefix = "fed" | "spk" | "usr" | "evt" | "tok" | "op" | "ses" | "rep" | "req" | "ott" | "frq" | "bak";

/** For example `spk_06fj2c4v7tq0w1x9n3m8k5r2dg`: the prefix, an underscore and 26 letters or digits. */
export function newId(prefix: IdPrefix): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 0x10000));
  new DataView(bytes.buffer).setUint16(4, Date.now() % 0x10000);
  return `${prefix}_${encode(bytes)}`;
}

/** Whether the text is shaped like an id of this type; it says nothing about whether such a thing exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(prefix + "_") && /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(prefix.length + 1));
}

function encode(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < 26; i++, value >>= 5n) text = ALPHABET[Number(value & 31n)] + text;
  return text;
}
