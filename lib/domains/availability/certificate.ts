/** Decides when users are warned that the certificate of a site ends. Pure. */
import { DAY } from "#lib/base/time.ts";

/** The number of days before the end at which users are warned, each once per certificate. */
export const CERTIFICATE_THRESHOLDS = [14, 7, 1] as const;

export interface CertificateState {
  /** When the certificate ends; null if no request has seen it yet. */
  readonly certificateEndsAt: Date | null;
  /** The threshold of the last warning about this certificate; null if there was no warning. */
  readonly certificateWarnedDays: number | null;
}

/** The new state, and the threshold that was crossed; null if users need no new warning. */
export interface CertificateDecision extends CertificateState {
  readonly crossed: number | null;
}

/**
 * `seen` is the end of the certificate in the last response. It is null if the response resumed an earlier TLS session,
 * which sends no certificate: the known end then remains.
 */
export function decideCertificate(before: CertificateState, seen: Date | null, now: Date): CertificateDecision {
  const isNew = seen !== null && seen.getTime() !== before.certificateEndsAt?.getTime();
  const certificateEndsAt = isNew ? seen : before.certificateEndsAt;
  const warned = isNew ? null : before.certificateWarnedDays;
  if (certificateEndsAt === null) return { certificateEndsAt, certificateWarnedDays: null, crossed: null };
  const left = certificateEndsAt.getTime() - now.getTime();
  const due = CERTIFICATE_THRESHOLDS.findLast((days) => left <= days * DAY) ?? null;
  const isDue = due !== null && (warned === null || due < warned);
  return { certificateEndsAt, certificateWarnedDays: isDue ? due : warned, crossed: isDue ? due : null };
}
