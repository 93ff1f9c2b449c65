/**
 * Decides whether the record of a namespace is trusted. It must be signed by this installation or accepted by an
 * operator.
 */
import { type Installation, isSignatureValid } from "#lib/installation/installation.ts";
import { parseRecord, type SignedRecord } from "#lib/moodle/site-record.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import type * as v from "valibot";

export interface Trust {
  readonly installation: Installation;
  /** Namespaces whose records an operator accepted, even if another installation signed them. */
  readonly accepted: ReadonlySet<string>;
}

/** The record, or the reason why it is not trusted. The reason continues a sentence after "it". */
export type TrustedRecord<T> = { readonly particulars: T } | {
  readonly doubt: string;
  readonly installation: string | null;
};

export function readTrustedRecord<
  S extends v.GenericSchema<unknown, { readonly id: string; readonly namespace: string }>,
>(
  { installation, accepted }: Trust,
  schema: S,
  { name, uid, signed, hubId, spokeId }: ObservedNamespace,
): TrustedRecord<v.InferOutput<S>> {
  const doubt = (text: string) => ({ doubt: text, installation: signed?.installation ?? null });
  if (!signed) return doubt("has no particulars: an earlier release made it, or somebody else");
  if (!accepted.has(name)) {
    if (signed.installation !== installation.id) {
      return doubt(`is of another installation (${signed.installation}), and is never touched`);
    }
    if (!isSigned(installation, uid, signed)) return doubt("has particulars that are not signed by this installation");
  }
  const particulars = parseRecord(schema, signed.text);
  if (!particulars) return doubt("has particulars that cannot be read");
  const isOwn = particulars.namespace === name && particulars.id === (spokeId ?? hubId);
  const isOfHub = spokeId === null || (particulars as { federationId?: string }).federationId === hubId;
  return isOwn && isOfHub ? { particulars } : doubt("has particulars of another one than its labels name");
}

export function isSigned(installation: Installation, uid: string, { text, signature, ...by }: SignedRecord): boolean {
  return by.installation === installation.id && isSignatureValid(installation, uid, text, signature);
}
