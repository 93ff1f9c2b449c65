/** Identifies this installation, because several can share a cluster, and signs the records that it stores there. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { RowQueries } from "#lib/drivers/db/database.ts";

export interface Installation {
  readonly id: string;
  /** The secret key for signing records that are stored in namespaces. */
  readonly key: string;
}

export async function readInstallation(rows: RowQueries): Promise<Installation> {
  return await rows.selectFrom("installation").select(["id", "key"]).executeTakeFirstOrThrow();
}

/** Signs text that is stored in a namespace. The signature is invalid in any other namespace. */
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
