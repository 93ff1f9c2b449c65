/**
 * Encrypts secrets that the database stores, such as the secret of a webhook, with the keys in SECRETS_KEY. A sealed
 * secret is the base64 of a version byte, the key's ID (4 bytes), a random nonce (12 bytes), the AES-256-GCM ciphertext
 * and its tag (16 bytes).
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from "node:crypto";
import { Fault } from "#lib/base/errors.ts";

const VERSION = 1, KEY_ID_BYTES = 4, NONCE_BYTES = 12, TAG_BYTES = 16, CIPHER = "aes-256-gcm";
const HEAD_BYTES = 1 + KEY_ID_BYTES;

export interface SecretSealer {
  /** Whether SECRETS_KEY is set. If not, both functions throw the Fault `secrets_key_missing`. */
  readonly available: boolean;
  /**
   * Encrypts the secret. `context` names the owner, such as `webhook:whk_…`. A sealed secret opens only with the same
   * context, so that nobody can copy it to another row.
   */
  seal(secret: string, context: string): string;
  /** Decrypts a sealed secret. Throws the Fault `secrets_key_unknown` if SECRETS_KEY no longer contains its key. */
  open(sealed: string, context: string): string;
}

/** Creates a sealer. Each key is the base64 of 32 bytes. The first key seals, all keys open. */
export function createSecretSealer(keys: readonly string[]): SecretSealer {
  const known = keys.map((text) => {
    const key = Buffer.from(text, "base64");
    return { key, id: hash("sha256", key, "buffer").subarray(0, KEY_ID_BYTES) };
  });
  const [first] = known;
  return {
    available: first !== undefined,
    seal(secret, context) {
      if (!first) throw secretsKeyMissing();
      const head = Buffer.concat([Uint8Array.of(VERSION), first.id]), nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.concat([head, Buffer.from(context)]));
      return Buffer.concat([head, nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
        .toString("base64");
    },
    open(sealed, context) {
      if (!first) throw secretsKeyMissing();
      const bytes = Buffer.from(sealed, "base64"), head = bytes.subarray(0, HEAD_BYTES);
      if (head[0] !== VERSION) throw new Error(`The sealed secret of ${context} has an unknown format`);
      const found = known.find(({ id }) => id.equals(head.subarray(1)));
      if (!found) throw secretsKeyUnknown();
      const body = bytes.subarray(HEAD_BYTES + NONCE_BYTES);
      try {
        const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, found.key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.concat([head, Buffer.from(context)]));
        decipher.setAuthTag(body.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]).toString();
      } catch (cause) {
        throw new Error(`The sealed secret of ${context} was changed, or belongs to another object`, { cause });
      }
    },
  };
}

function secretsKeyMissing(): Fault {
  const message = "SECRETS_KEY is not set, so secrets cannot be stored; set SECRETS_KEY to the output of " +
    "openssl rand -base64 32, and restart";
  return new Fault("conflict", "secrets_key_missing", message);
}

function secretsKeyUnknown(): Fault {
  const message = "A stored secret was encrypted with a key that SECRETS_KEY lacks; add the former key after the first";
  return new Fault("unavailable", "secrets_key_unknown", message);
}
