/**
 * Verifies what a browser returns for a passkey (WebAuthn Level 3, sections 7.1 and 7.2). Attestation is not requested,
 * because any authenticator is accepted. Both functions throw an Error that says what is wrong, for the audit log.
 */
import { createHash, createPublicKey, type JsonWebKeyInput, verify } from "node:crypto";
import { decodeBase64urlIgnorePadding, encodeBase64urlNoPadding } from "@oslojs/encoding";
import {
  type AuthenticatorData,
  ClientDataType,
  coseAlgorithmEdDSA,
  coseAlgorithmES256,
  coseAlgorithmRS256,
  coseEllipticCurveEd25519,
  coseEllipticCurveP256,
  type COSEPublicKey,
  createAssertionSignatureMessage,
  parseAttestationObject,
  parseAuthenticatorData,
  parseClientDataJSON,
} from "@oslojs/webauthn";

/** The algorithms that new passkeys may use, in the order of preference. */
export const PASSKEY_ALGORITHMS: readonly number[] = [coseAlgorithmES256, coseAlgorithmEdDSA, coseAlgorithmRS256];

/** The values that a response must match. */
export interface ExpectedResponse {
  /** The origin of PUBLIC_URL. The passkey belongs to its host name. */
  readonly publicUrl: URL;
  /** Whether the authenticator must have verified the user, by PIN or biometrics. */
  readonly needsUserVerification: boolean;
}

export interface RegisteredPasskey {
  readonly credentialId: Uint8Array;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly signCount: number;
}

/** Returns the challenge in a response, which the caller must have issued. Throws for malformed client data. */
export function readChallenge(clientDataJSON: string): Uint8Array {
  return parseClientDataJSON(decodeBase64urlIgnorePadding(clientDataJSON)).challenge;
}

/** Verifies a new passkey. All values of `response` are base64url. The caller checks the challenge. */
export function verifyRegistration(
  response: { readonly clientDataJSON: string; readonly attestationObject: string },
  expected: ExpectedResponse,
): RegisteredPasskey {
  checkClientData(response.clientDataJSON, ClientDataType.Create, expected.publicUrl);
  const { authenticatorData } = parseAttestationObject(decodeBase64urlIgnorePadding(response.attestationObject));
  checkAuthenticator(authenticatorData, expected);
  const { credential, signatureCounter } = authenticatorData;
  if (!credential) throw new Error("The response contains no credential");
  return { credentialId: credential.id, publicKey: toSpki(credential.publicKey), signCount: signatureCounter };
}

interface AssertionResponse {
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

/** Verifies the use of a passkey. Returns the new signature counter. The caller checks the challenge. */
export function verifyAssertion(
  response: AssertionResponse,
  { publicKey, signCount }: Pick<RegisteredPasskey, "publicKey" | "signCount">,
  expected: ExpectedResponse,
): number {
  checkClientData(response.clientDataJSON, ClientDataType.Get, expected.publicUrl);
  const bytes = decodeBase64urlIgnorePadding(response.authenticatorData), data = parseAuthenticatorData(bytes);
  checkAuthenticator(data, expected);
  const message = createAssertionSignatureMessage(bytes, decodeBase64urlIgnorePadding(response.clientDataJSON));
  const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  if (!verify(algorithm, message, key, decodeBase64urlIgnorePadding(response.signature))) {
    throw new Error("The signature is wrong");
  }
  const isCounting = data.signatureCounter > 0 || signCount > 0;
  if (isCounting && data.signatureCounter <= signCount) {
    throw new Error("The counter went back: a copy of the passkey may exist");
  }
  return data.signatureCounter;
}

function checkClientData(clientDataJSON: string, type: ClientDataType, publicUrl: URL): void {
  const data = parseClientDataJSON(decodeBase64urlIgnorePadding(clientDataJSON));
  if (data.type !== type) throw new Error("The response is for another operation");
  if (data.origin !== publicUrl.origin) throw new Error("The response is for another origin");
  if (data.crossOrigin) throw new Error("The response is from a frame of another site");
}

function checkAuthenticator(data: AuthenticatorData, { publicUrl, needsUserVerification }: ExpectedResponse): void {
  const expectedHash = createHash("sha256").update(publicUrl.hostname).digest();
  if (!expectedHash.equals(data.relyingPartyIdHash)) throw new Error("The passkey is for another host");
  if (!data.userPresent) throw new Error("The user was not present");
  if (needsUserVerification && !data.userVerified) throw new Error("The user was not verified");
}

function toSpki(key: COSEPublicKey): Uint8Array {
  return createPublicKey({ key: toJwk(key), format: "jwk" }).export({ format: "der", type: "spki" });
}

function toJwk(key: COSEPublicKey): JsonWebKeyInput["key"] {
  switch (key.algorithm()) {
    case coseAlgorithmES256: {
      const { curve, x, y } = key.ec2();
      if (curve !== coseEllipticCurveP256) break;
      return { kty: "EC", crv: "P-256", x: encodeNumber(x, 32), y: encodeNumber(y, 32) };
    }
    case coseAlgorithmEdDSA: {
      const { curve, x } = key.okp();
      if (curve !== coseEllipticCurveEd25519) break;
      return { kty: "OKP", crv: "Ed25519", x: encodeBase64urlNoPadding(x) };
    }
    case coseAlgorithmRS256: {
      const { n, e } = key.rsa();
      return { kty: "RSA", n: encodeNumber(n, 0), e: encodeNumber(e, 0) };
    }
  }
  throw new Error("The algorithm of the passkey is not supported");
}

/** Returns a number as base64url of at least `length` bytes, most significant byte first. */
function encodeNumber(value: bigint, length: number): string {
  const digits = value.toString(16), even = digits.length + digits.length % 2;
  return encodeBase64urlNoPadding(Buffer.from(digits.padStart(Math.max(even, 2 * length), "0"), "hex"));
}
