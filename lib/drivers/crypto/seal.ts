/**
 * Seals: what a stranger encrypts to a key that the asking side keeps to itself, and forgets once it has read the answer.
 *
 * For answers that pass places where others read, such as the log of a pod. X25519 with a key pair of each side for this one
 * answer, HKDF-SHA256 over what the two share and both public keys, AES-256-GCM. A key seals one text, so its nonce is zero.
 * A sealed text is base64 of the sealer's public key (32 bytes), the ciphertext, and the tag (16 bytes).
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

export interface SealedReply {
  /** Base64 of 32 bytes: for the side that seals. */
  readonly publicKey: string;
  /** The text that was sealed; null for anything else. */
  open(sealed: string): string | null;
}

const KEY = 32, TAG = 16, CIPHER = "aes-256-gcm", NONCE = new Uint8Array(12);
// What stands before the 32 bytes of an X25519 key in DER (RFC 8410).
const PRIVATE = "302e020100300506032b656e04220420", PUBLIC = "302a300506032b656e032100";

/** `secret` are 32 random bytes, used for nothing else. */
export function createSealedReply(secret: Uint8Array = randomBytes(KEY)): SealedReply {
  const own = createPrivateKey({ key: der(PRIVATE, secret), format: "der", type: "pkcs8" }), ours = publicOf(own);
  return {
    publicKey: ours.toString("base64"),
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64"), theirs = bytes.subarray(0, KEY);
      try {
        const decipher = createDecipheriv(CIPHER, deriveKey(own, theirs, [theirs, ours]), NONCE, {
          authTagLength: TAG,
        });
        decipher.setAuthTag(bytes.subarray(-TAG));
        const text = decipher.update(bytes.subarray(KEY, -TAG));
        return Buffer.concat([text, decipher.final()]).toString();
      } catch {
        return null; // too short, for another key, or changed on the way
      }
    },
  };
}

/** As the other side does it. */
export function seal(text: string, publicKey: string): string {
  const own = createPrivateKey({ key: der(PRIVATE, randomBytes(KEY)), format: "der", type: "pkcs8" });
  const ours = publicOf(own), theirs = Buffer.from(publicKey, "base64");
  const cipher = createCipheriv(CIPHER, deriveKey(own, theirs, [ours, theirs]), NONCE, { authTagLength: TAG });
  return Buffer.concat([ours, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

function deriveKey(own: KeyObject, theirs: Uint8Array, both: readonly Uint8Array[]): Uint8Array {
  const publicKey = createPublicKey({ key: der(PUBLIC, theirs), format: "der", type: "spki" });
  const shared = diffieHellman({ privateKey: own, publicKey });
  return new Uint8Array(hkdfSync("sha256", shared, new Uint8Array(), Buffer.concat(both), KEY));
}

function publicOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-KEY);
}

function der(head: string, key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(head, "hex"), key]);
}
