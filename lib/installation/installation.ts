/** Which installation this database is of: what tells it from another control plane's in the same cluster. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Rows } from "#lib/drivers/db/database.ts";

export interface Installation {
  readonly id: string;
  /** Signs what the control plane leaves in namespaces for itself. */
  readonly key: string;
}

export async function readInstallation(rows: Rows): Promise<Installation> {
  return await rows.selectFrom("installation").select(["id", "key"]).executeTakeFirstOrThrow();
}

/** For this namespace alone: in another one the same text is not signed. */
export function signText({ key }: Pick<Installation, "key">, namespaceUid: string, text: string): string {
  return createHmac("sha256", key).update(`${namespaceUid}\n${text}`).digest("base64url");
}

export function isSignatureValid(
  installation: Pick<Installation, "key">,
  namespaceUid: string,
  text: string,
  signature: string,
): boolean {
  const expected = Buffer.from(signText(installation, namespaceUid, text)), received = Buffer.from(signature);
  return expected.length === received.length && timingSafeEqual(expected, received);
}
