/**
 * Decides whether a site record is trusted: either this installation signed it, or an operator accepted its namespace.
 */
import { type Installation, isSignatureValid } from "#lib/installation/installation.ts";
import { parseRecordJson, type SignedRecord } from "#lib/moodle/site-record.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import type * as v from "valibot";

export interface RecordTrustSettings {
  readonly installation: Installation;
  /** Namespaces that an operator accepted, even though another installation signed their site records. */
  readonly acceptedNamespaces: ReadonlySet<string>;
}

/** The site record, or the reason why the record is not trusted, for example "has no site record". */
export type TrustedRecord<T> = { readonly siteRecord: T } | {
  readonly doubt: string;
  readonly installation: string | null;
};

export function readTrustedSiteRecord<
  S extends v.GenericSchema<unknown, { readonly id: string; readonly namespace: string }>,
>(
  { installation, acceptedNamespaces }: RecordTrustSettings,
  schema: S,
  { name, uid, signedRecord, hubId, spokeId }: ObservedNamespace,
): TrustedRecord<v.InferOutput<S>> {
  const reject = (text: string) => ({ doubt: text, installation: signedRecord?.installation ?? null });
  if (!signedRecord) return reject("has no site record");
  if (!acceptedNamespaces.has(name)) {
    if (signedRecord.installation !== installation.id) {
      return reject(`belongs to another installation (${signedRecord.installation})`);
    }
    if (!isSignedByInstallation(installation, uid, signedRecord)) {
      return reject("has a site record that this installation did not sign");
    }
  }
  const siteRecord = parseRecordJson(schema, signedRecord.text);
  if (!siteRecord) return reject("has an unreadable site record");
  const isOwn = siteRecord.namespace === name && siteRecord.id === (spokeId ?? hubId);
  const isOfHub = spokeId === null || (siteRecord as { federationId?: string }).federationId === hubId;
  return isOwn && isOfHub ? { siteRecord } : reject("has a site record that does not match its labels");
}

export function isSignedByInstallation(
  installation: Installation,
  uid: string,
  { text, signature, ...signer }: SignedRecord,
): boolean {
  return signer.installation === installation.id && isSignatureValid(installation, uid, text, signature);
}
