/** Creates and uses passkeys as an authenticator and a browser do together, also in ways in which honest ones do not. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

type Algorithm = "ES256" | "EdDSA" | "RS256";

/** Values of a response that a test can replace. */
interface Forgery {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly count?: number;
  /** Another key to sign with. */
  readonly key?: KeyObject;
}

export interface TestPasskey {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** Returns the response to a request to create this passkey. */
  register(challenge: string, forgery?: Forgery): object;
  /** Returns the response to a request to use this passkey. */
  use(challenge: string, forgery?: Forgery): object;
}

const ORIGIN = "http://localhost:3000", RP_ID = "localhost";

export function createTestPasskey(algorithm: Algorithm = "ES256"): TestPasskey {
  const { publicKey, privateKey } = createKeys(algorithm);
  const credentialId = Buffer.from(crypto.getRandomValues(new Uint8Array(16))), id = credentialId.toString("base64url");
  let uses = 0;
  const clientData = (
    type: string,
    challenge: string,
    { origin = ORIGIN, type: forged = type, crossOrigin = false }: Forgery,
  ) => Buffer.from(JSON.stringify({ type: forged, challenge, origin, crossOrigin }));
  const authData = (extra: Buffer, flags: number, forgery: Forgery) => {
    const { rpId = RP_ID, isUserVerified = true, isUserPresent = true, count = ++uses } = forgery;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    const bits = flags | (isUserPresent ? 1 : 0) | (isUserVerified ? 4 : 0);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.of(bits), counter, extra]);
  };
  return {
    id,
    privateKey,
    register(challenge, forgery = {}) {
      const length = Buffer.of(credentialId.length >> 8, credentialId.length & 255);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, encodeCoseKey(algorithm, publicKey)]);
      const data = authData(attested, 0x40, forgery);
      const attestationObject = encodeCbor(
        new Map<unknown, unknown>([["fmt", "none"], ["attStmt", new Map()], ["authData", data]]),
      );
      return {
        id,
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, forgery).toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
        },
      };
    },
    use(challenge, forgery = {}) {
      const client = clientData("webauthn.get", challenge, forgery), data = authData(Buffer.alloc(0), 0, forgery);
      const signed = Buffer.concat([data, createHash("sha256").update(client).digest()]);
      const signature = sign(algorithm === "EdDSA" ? null : "sha256", signed, forgery.key ?? privateKey);
      return {
        id,
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
        },
      };
    },
  };
}

function createKeys(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === "ES256") return generateKeyPairSync("ec", { namedCurve: "P-256" });
  return algorithm === "EdDSA" ? generateKeyPairSync("ed25519") : generateKeyPairSync("rsa", { modulusLength: 2048 });
}

function encodeCoseKey(algorithm: Algorithm, publicKey: KeyObject): Buffer {
  const { x = "", y = "", n = "", e = "" } = publicKey.export({ format: "jwk" }) as Record<string, string>;
  const bytes = (text: string) => Buffer.from(text, "base64url");
  if (algorithm === "ES256") {
    return encodeCbor(new Map<unknown, unknown>([[1, 2], [3, -7], [-1, 1], [-2, bytes(x)], [-3, bytes(y)]]));
  }
  if (algorithm === "EdDSA") return encodeCbor(new Map<unknown, unknown>([[1, 1], [3, -8], [-1, 6], [-2, bytes(x)]]));
  return encodeCbor(new Map<unknown, unknown>([[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)]]));
}

/** Encodes integers, texts, bytes and maps in CBOR (RFC 8949). */
function encodeCbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(encodeCbor)]);
}

function head(kind: number, length: number): Buffer {
  if (length < 24) return Buffer.of(kind << 5 | length);
  return length < 256 ? Buffer.of(kind << 5 | 24, length) : Buffer.of(kind << 5 | 25, length >> 8, length & 255);
}
