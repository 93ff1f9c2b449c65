/**
 * Lets users confirm their session when a form needs a recent sign-in. The page that asks for it contains the
 * submitted form's fields, so that one submission confirms the session and then submits the form.
 */
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { type Confirmation, confirmOwnSession } from "#lib/domains/auth/confirm.ts";
import { listFactorKinds } from "#lib/domains/auth/factors/store.ts";
import { listSignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import { ConfirmBody } from "#lib/domains/auth/views.ts";
import { parseInput } from "#lib/http/input.ts";
import { buildErrorHeaders, getHttpStatus } from "#lib/http/problem.ts";
import type { PortalResponse } from "#lib/portal/mail-links/frame.ts";
import type { PageEndpointCall } from "#lib/portal/page/call-api.ts";
import { CONFIRM_FACTOR, CONFIRM_PASSKEY, CONFIRM_PASSWORD, confirmPage } from "#lib/portal/sign-in/confirm.ts";
import { parsePasskeyText } from "#lib/portal/sign-in/passkey-form.ts";
import { parseFactorText } from "#lib/portal/sign-in/factor-field.ts";

/** Returns the schema of a form that may also contain the user's password or second factor, to confirm the session. */
// deno-lint-ignore no-explicit-any
export function withConfirmFields<T>(form: v.GenericSchema<any, T>): v.GenericSchema<any, T> {
  if (!("entries" in form)) return form; // accepts any field
  const Field = v.optional(v.string());
  const entries = {
    ...form.entries as v.ObjectEntries,
    [CONFIRM_PASSWORD]: Field,
    [CONFIRM_FACTOR]: Field,
    [CONFIRM_PASSKEY]: Field,
  };
  // deno-lint-ignore no-explicit-any
  return { ...form, entries } as v.GenericSchema<any, T>;
}

/**
 * Handles a form submission. `submit` gets the caller and the form without the fields of the
 * confirmation. If it needs a recent sign-in, returns the page that asks for the password or the second factor.
 */
export async function submitConfirmed(
  call: PageEndpointCall,
  submit: (actor: Actor, fields: Readonly<Record<string, string>>) => Promise<PortalResponse>,
): Promise<PortalResponse> {
  const { [CONFIRM_PASSWORD]: password, [CONFIRM_FACTOR]: factor, [CONFIRM_PASSKEY]: passkey, ...fields } = call
    .body as Record<string, string>;
  const url = new URL(call.request.url), { email, userId } = call.actor as Actor;
  const ask = async (error: Fault, problem?: string): Promise<PortalResponse> => ({
    status: getHttpStatus(error.kind),
    headers: { ...buildErrorHeaders(error), "cache-control": "no-store" },
    page: confirmPage({
      action: url.pathname + url.search,
      email,
      fields,
      hasFactor: (await listFactorKinds(call.app.db.rows, userId)).length > 0,
      methods: listSignInMethods(call.app),
      problem,
    }),
  });
  let actor: Actor;
  try {
    actor = await confirm(call, {
      password,
      ...(factor !== undefined && parseFactorText(factor)),
      ...(passkey && { passkey: parsePasskeyText(passkey) as Confirmation["passkey"] }),
    });
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "unauthenticated") throw error;
    return await ask(error, describeProblem(error));
  }
  try {
    return await submit(actor, fields);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "recent_sign_in_required") throw error;
    return await ask(error);
  }
}

function describeProblem({ message, fields: { password, code, recoveryCode } }: Fault): string {
  if (password !== undefined) return `The password ${password}`;
  if (code === message) return message;
  const factor = code ?? recoveryCode;
  return factor === undefined ? message : `The code ${factor}`;
}

/** Confirms the session if the form contains a password or code. Returns the caller, whose session may be recent now. */
async function confirm(call: PageEndpointCall, confirmation: Confirmation): Promise<Actor> {
  const actor: Actor = call.actor, { credential } = actor;
  if (credential.kind !== "session" || credential.recent) return actor;
  if (Object.values(confirmation).every((value) => value === undefined)) return actor;
  call.countLoginAttempt();
  const checked = parseInput(ConfirmBody, confirmation) as v.InferOutput<typeof ConfirmBody>;
  await confirmOwnSession(call.app, actor, checked, call.signal);
  return { ...actor, credential: { ...credential, recent: true } };
}
