/** Identifies this installation, and signs what it stores in the cluster. Several installations can share a cluster. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Rows } from "#lib/drivers/db/database.ts";

export interface Installation {
  readonly id: string;
  /** The key that signs records stored in namespaces. */
  readonly key: string;
}

export async function readInstallation(rows: Rows): Promise<Installation> {
  return await rows.selectFrom("installation").select(["id", "key"]).executeTakeFirstOrThrow();
}

/** Signs the text for one namespace. In another namespace the signature is not valid. */
export function signWithInstallationKey(
  { key }: Pick<Installation, "key">,
  namespaceUid: string,
  text: string,
): string {
  return createHmac("sha256", key).update(`${namespaceUid}\n${text}`).digest("base64url");
}

export function isSignatureValid(
  installation: Pick<Installation, "key">,
  namespaceUid: string,
  text: string,
  signature: string,
): boolean {
  const expected = Buffer.from(signWithInstallationKey(installation, namespaceUid, text)),
    received = Buffer.from(signature);
  return expected.length === received.length && timingSafeEqual(expected, received);
}
