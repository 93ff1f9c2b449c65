/** Creates the parts of the application context that hash passwords and encrypt secrets. */
import { openPasswordHasher, type PasswordHasher } from "#lib/drivers/crypto/password.ts";
import { createSecretSealer, type SecretSealer } from "#lib/drivers/crypto/seal.ts";

export interface Cryptography {
  /** Hashes and verifies passwords. Limits how many of these slow calculations run at the same time. */
  readonly passwords: PasswordHasher;
  /** Encrypts and decrypts secrets that the database stores. */
  readonly secrets: SecretSealer;
}

/** Creates these parts. `secretsKeys` are the keys in SECRETS_KEY. */
export function openCryptography(secretsKeys: readonly string[]): Cryptography {
  return { passwords: openPasswordHasher(), secrets: createSecretSealer(secretsKeys) };
}
