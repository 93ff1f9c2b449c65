/**
 * Encrypts a reply that others could read in transit, for example in a pod's log. The receiver creates a key pair for
 * one reply and then deletes the private key. The result is the base64 of the sender's public key (32 bytes), the
 * AES-256-GCM ciphertext and its tag (16 bytes).
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
  /** The public key to give to the sender: 32 bytes, encoded as base64. */
  readonly publicKey: string;
  /** Returns the decrypted text, or null if the text was not encrypted for this key or was changed. */
  open(sealed: string): string | null;
}

// The nonce can be zero, because each key encrypts only one text.
const KEY = 32, TAG = 16, CIPHER = "aes-256-gcm", NONCE = new Uint8Array(12);
// The bytes that precede an X25519 key in DER format (RFC 8410), in hexadecimal.
const PRIVATE = "302e020100300506032b656e04220420", PUBLIC = "302a300506032b656e032100";

/** Creates a key pair for one reply. `secret` must be 32 random bytes that are used for nothing else. */
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
        return null; // the text is too short, was encrypted for another key, or was changed
      }
    },
  };
}

/** Encrypts a text so that only the holder of the matching private key can read it. */
export function encryptReply(text: string, publicKey: string): string {
  const own = createPrivateKey({ key: der(PRIVATE, randomBytes(KEY)), format: "der", type: "pkcs8" });
  const ours = publicOf(own), theirs = Buffer.from(publicKey, "base64");
  const cipher = createCipheriv(CIPHER, deriveKey(own, theirs, [ours, theirs]), NONCE, { authTagLength: TAG });
  return Buffer.concat([ours, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

/** Derives the AES key with HKDF-SHA256 from the X25519 shared secret and both public keys. */
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
