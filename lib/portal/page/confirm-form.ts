/**
 * Lets users confirm their session when a form needs a recent sign-in. The page that asks for the password contains the
 * submitted form's fields, so that one submission confirms the session and then submits the form.
 */
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { confirmOwnSession } from "#lib/domains/auth/confirm.ts";
import { ConfirmBody } from "#lib/domains/auth/views.ts";
import { parseInput } from "#lib/http/input.ts";
import { buildErrorHeaders, getHttpStatus } from "#lib/http/problem.ts";
import type { PortalResponse } from "#lib/portal/mail-links/frame.ts";
import type { PageEndpointCall } from "#lib/portal/page/call-api.ts";
import { CONFIRM_PASSWORD, confirmPage } from "#lib/portal/sign-in/confirm.ts";

/** Returns the schema of a form that may also contain the user's password, to confirm the session. */
// deno-lint-ignore no-explicit-any
export function withConfirmFields<T>(form: v.GenericSchema<any, T>): v.GenericSchema<any, T> {
  if (!("entries" in form)) return form; // accepts any field
  const entries = { ...form.entries as v.ObjectEntries, [CONFIRM_PASSWORD]: v.optional(v.string()) };
  // deno-lint-ignore no-explicit-any
  return { ...form, entries } as v.GenericSchema<any, T>;
}

/**
 * Handles a form submission. `submit` gets the caller and the form without the password. If it needs a recent sign-in,
 * returns the page that asks for the password.
 */
export async function submitConfirmed(
  call: PageEndpointCall,
  submit: (actor: Actor, fields: Readonly<Record<string, string>>) => Promise<PortalResponse>,
): Promise<PortalResponse> {
  const { [CONFIRM_PASSWORD]: password, ...fields } = call.body as Readonly<Record<string, string>>;
  const url = new URL(call.request.url), { email } = call.actor as Actor;
  const ask = (error: Fault, problem?: string): PortalResponse => ({
    status: getHttpStatus(error.kind),
    headers: { ...buildErrorHeaders(error), "cache-control": "no-store" },
    page: confirmPage({ action: url.pathname + url.search, email, fields, problem }),
  });
  let actor: Actor;
  try {
    actor = await confirm(call, password);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === "unauthenticated") throw error;
    return ask(error, error.fields.password === undefined ? error.message : `The password ${error.fields.password}`);
  }
  try {
    return await submit(actor, fields);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "recent_sign_in_required") throw error;
    return ask(error);
  }
}

/** Confirms the session if the form contains the password. Returns the caller, whose session may be recent now. */
async function confirm(call: PageEndpointCall, password: string | undefined): Promise<Actor> {
  const actor: Actor = call.actor, { credential } = actor;
  if (password === undefined || credential.kind !== "session" || credential.recent) return actor;
  call.countLoginAttempt();
  const { password: checked } = parseInput(ConfirmBody, { password }) as v.InferOutput<typeof ConfirmBody>;
  await confirmOwnSession(call.app, actor, { password: checked }, call.signal);
  return { ...actor, credential: { ...credential, recent: true } };
}
