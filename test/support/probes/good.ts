/** For the fields that an endpoint must be given: values that are right, or as right as can be without a mail to read. */
import { newId } from "#lib/base/ids.ts";
import type { Field } from "#test/support/probes/fields.ts";
import { sayingOf } from "#test/support/probes/walk.ts";

const PASSWORD = "correct horse battery staple";

/** By the field's name; each call makes another one, so that nothing is taken already. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  slug: () => `s-${newId("spk").slice(4).toLowerCase()}`,
  email: () => `${newId("usr")}@example.org`,
  password: () => PASSWORD,
  newPassword: () => PASSWORD,
  current: () => PASSWORD,
  token: () => newId("tok"),
  name: () => "A name",
  displayName: () => "A name",
  reason: () => "A reason",
  declineReason: () => "A reason",
  format: () => "csv",
  ids: () => [newId("spk")],
  scope: () => "readonly",
  state: () => "declined", // of a request that is decided
  backupId: () => newId("bak"),
};

export function goodValue({ name, schema }: Field): unknown {
  const known = VALUES[name];
  if (known) return known();
  const first = /^must be one of ([^,]+)/.exec(sayingOf(schema))?.[1];
  if (first) return first;
  throw new Error(`test/support/probes/good.ts has no value for the field ${name}`);
}
