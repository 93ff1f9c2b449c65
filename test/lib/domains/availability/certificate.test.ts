import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CertificateState, decideCertificate } from "#lib/domains/availability/certificate.ts";
import { DAY } from "#lib/base/time.ts";

const test = suite("decideCertificate");
const END = new Date("2026-12-31T00:00:00Z"), before = (days: number) => new Date(END.getTime() - days * DAY);
const UNKNOWN: CertificateState = { certificateEndsAt: null, certificateWarnedDays: null };

/** Returns the thresholds of the warnings on these days before the end, one decision a day. */
function warningsOn(days: readonly number[], seen: Date | null = END): (number | null)[] {
  let state: CertificateState = { ...UNKNOWN, certificateEndsAt: END };
  return days.map((day) => {
    const decision = decideCertificate(state, seen, before(day));
    state = decision;
    return decision.crossed;
  });
}

test("warns once at each threshold, also if no response contains the certificate", () => {
  const days = [15, 14.1, 14, 13, 8, 7, 6, 2, 1, 0.5, -1],
    warnings = [null, null, 14, null, null, 7, null, null, 1, null, null];
  assert.equal(warningsOn(days), warnings);
  assert.equal(warningsOn(days, null), warnings);
});

test("warns only at the nearest threshold if the certificate ends soon", () => {
  assert.equal(warningsOn([0.5, 0.4]), [1, null]);
});

test("begins again with a new certificate", () => {
  const warned: CertificateState = { certificateEndsAt: END, certificateWarnedDays: 7 };
  const later = new Date(END.getTime() + 90 * DAY);
  assert.equal(decideCertificate(warned, later, before(5)), {
    certificateEndsAt: later,
    certificateWarnedDays: null,
    crossed: null,
  });
});

test("decides nothing without a certificate", () => {
  assert.equal(decideCertificate(UNKNOWN, null, before(1)), { ...UNKNOWN, crossed: null });
});

test.run();
