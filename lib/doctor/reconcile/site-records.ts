/**
 * Decides whether a site record is trusted: either this installation signed it, or an operator accepted its namespace.
 * Decides the state of a hub or spoke without a database row, from its site record and replicas. Pure.
 */
import type * as v from "valibot";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { type Installation, isSignatureValid } from "#lib/installation/installation.ts";
import { parseRecordJson, type SignedRecord } from "#lib/moodle/site-record.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";

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

type StateAndReason = Pick<SpokeRow, "state" | "stateReason">;

const WHEN_DATABASE_LOST = "when the database was lost";

export function determineSpokeState(
  { state, stateReason, readyAt }: { readonly state: string; stateReason: string | null; readyAt: Date | null },
  replicas: ObservedNamespace["replicas"] | null,
): StateAndReason {
  if (state === "failed") return { state, stateReason };
  if (readyAt === null) {
    return { state: "failed", stateReason: `The installation was running ${WHEN_DATABASE_LOST}; retry it to continue` };
  }
  if (state === "removing") {
    return {
      state: "failed",
      stateReason: `The removal was running ${WHEN_DATABASE_LOST}; destroy the spoke again to continue it`,
    };
  }
  const { app, database } = replicas ?? { app: null, database: null };
  const isUnknown = app === null || database === null, isHalfRunning = (app === 0) !== (database === 0);
  const observedState = isUnknown ? keepStableState(state) : isHalfRunning ? null : app === 0 ? "suspended" : "active";
  if (observedState === state) return { state: observedState, stateReason };
  const interrupted = `Another operation was running ${WHEN_DATABASE_LOST}`;
  if (observedState !== null) {
    return { state: observedState, stateReason: `${interrupted}; check whether it must be repeated` };
  }
  return {
    state: "failed",
    stateReason: `${interrupted}, and only part of the site runs; reapply the blueprint or restore a backup`,
  };
}

function keepStableState(state: string): "active" | "suspended" | null {
  return state === "active" || state === "suspended" ? state : null;
}

/**
 * Returns the state for a hub whose database row was lost. After an unfinished operation, the state is `failed`, so
 * that a user can retry the operation.
 */
export function determineHubState(
  { state, stateReason }: { readonly state: string; readonly stateReason: string | null },
): Pick<FederationRow, "state" | "stateReason"> {
  if (state === "active" || state === "failed") return { state, stateReason };
  return {
    state: "failed",
    stateReason: `An operation was running ${WHEN_DATABASE_LOST}; retry it to continue`,
  };
}
