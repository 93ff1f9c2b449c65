/** Builds valid values for an endpoint's required fields. Tokens from emails are valid only in format. */
import { createId } from "#lib/base/ids.ts";
import { createTestPasskey } from "#test/support/authenticator.ts";
import type { EndpointField } from "#test/support/probes/fields.ts";
import { ruleTextOf } from "#test/support/probes/probe-fields.ts";

const PASSWORD = "correct horse battery staple";

/** Functions that create valid values, keyed by field name. Each call returns a new value, to avoid duplicates. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  slug: () => `s-${createId("spk").slice(4).toLowerCase()}`,
  email: () => `${createId("usr")}@example.org`,
  password: () => PASSWORD,
  newPassword: () => PASSWORD,
  current: () => PASSWORD,
  token: () => createId("tok"),
  name: () => "A name",
  displayName: () => "A name",
  reason: () => "A reason",
  declineReason: () => "A reason",
  format: () => "csv",
  ids: () => [createId("spk")],
  filter: () => ({ slug: "nowhere" }),
  selector: () => ({ ids: [createId("spk")] }),
  scope: () => "readonly",
  url: () => "https://93.184.216.34/hook",
  state: () => "declined", // the state of a decided request
  spokeId: () => createId("spk"),
  course: () => "BIO-D",
  backupId: () => createId("bak"),
  version: () => 1, // of a policy
  challenge: () => "c".repeat(43),
  verifier: () => "v".repeat(43),
  port: () => 50123,
  code: () => "c".repeat(43),
  deviceCode: () => "d".repeat(43),
  userCode: () => "BBBB-BBBB",
  id: () => createId("tsi"), // of a sign-in from a terminal
  approve: () => false,
  passkey: () => createTestPasskey().use("Y2hhbGxlbmdl"),
};

export function validValueOf({ name, schema }: EndpointField): unknown {
  const create = VALUES[name];
  if (create) return create();
  const first = /^must be one of ([^,]+)/.exec(ruleTextOf(schema))?.[1];
  if (first) return first;
  throw new Error(`test/support/probes/valid-values.ts has no value for the field ${name}`);
}
