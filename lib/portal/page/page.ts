/** Declares portal pages and form actions as HTTP endpoints, which require a session and show errors as pages. */
import * as v from "valibot";
import { Fault, type FaultKind } from "#lib/base/errors.ts";
import { type Actor, signedInAccess } from "#lib/domains/auth/access.ts";
import { readStreamBounds } from "#lib/events/store.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { buildErrorHeaders, getHttpStatus } from "#lib/http/problem.ts";
import { type CallApi, createApiCaller, type PageEndpointCall } from "#lib/portal/page/call-api.ts";
import { renderRefusalPage } from "#lib/portal/page/refusal-page.ts";
import { submitConfirmed, withConfirmFields } from "#lib/portal/page/confirm-form.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { renderFlashMessage } from "#lib/portal/components/flash-messages.ts";
import { readCurrentUser } from "#lib/portal/page/current-user.ts";
import { renderShell } from "#lib/portal/components/shell.ts";
import type { CurrentUser, PageView, StreamPosition } from "#lib/portal/components/view.ts";
import { portalReply, type PortalResponse } from "#lib/portal/mail-links/frame.ts";

export interface PageContext<Q = Readonly<Record<string, string | undefined>>, B = Readonly<Record<string, string>>> {
  readonly callApi: CallApi;
  readonly me: CurrentUser;
  readonly actor: Actor;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  /** The setting PUBLIC_URL, from which pages build URLs for users to copy. */
  readonly publicUrl: URL;
  readonly signup: boolean;
  /** Returns the current time according to the database. */
  readonly now: () => Promise<Date>;
  /** Returns the position in a hub's event stream. Call this before reading data, so that no event is missed. */
  readonly follow: (federationId: string) => Promise<StreamPosition>;
}

// deno-lint-ignore no-explicit-any
type Schema<T> = v.GenericSchema<any, T>;

interface Page<Q> {
  readonly summary: string;
  /** Whether users who must set up a second factor can open the page before they do. */
  readonly duringEnrolment?: true | undefined;
  readonly query?: Schema<Q>;
  show(call: PageContext<Q>): PageView | Promise<PageView>;
}

const Params = v.record(v.string(), v.string());

/** Returns a schema for a page's query. All parameters are optional, and empty parameters count as absent. */
export function optionalQuerySchema<K extends string>(...names: readonly K[]) {
  const Word = v.pipe(v.optional(v.string()), v.transform((text) => text?.trim() || undefined));
  return v.object(
    Object.fromEntries(names.map((name) => [name, Word])) as Record<string, typeof Word> as Record<K, typeof Word>,
  );
}

/** Returns a schema for a form. Fields that are not sent, such as unticked checkboxes, become empty strings. */
export function formSchema<K extends string>(...names: readonly K[]) {
  const Field = v.optional(v.string(), "");
  return v.object(Object.fromEntries(names.map((name) => [name, Field])) as Record<K, typeof Field>);
}

/** Returns a schema for a form that also has fields whose names are not known in advance. */
export function openFormSchema<K extends string>(...names: readonly K[]) {
  return v.objectWithRest(formSchema(...names).entries, v.string());
}

/** Prepares form values for the API: trims values, normalizes line breaks and drops empty values. */
export function dropEmptyFields<K extends string>(typed: Readonly<Record<K, string>>): Record<K, string | undefined> {
  return Object.fromEntries(
    Object.entries<string>(typed).map(([name, text]) => [name, text.trim().replaceAll("\r\n", "\n") || undefined]),
  ) as Record<K, string | undefined>;
}

export function portalPage<Q = Record<string, never>>({ summary, duringEnrolment, query, show }: Page<Q>) {
  return endpoint({
    summary,
    ...(duringEnrolment && { duringEnrolment }),
    access: signedInAccess,
    scope: "session",
    portal: true,
    params: Params,
    query: query ?? v.object({}) as unknown as Schema<Q>,
    reply: portalReply,
    errorPage: renderRefusalPage,
    async handle(call): Promise<PortalResponse> {
      const pageCall = await openCall<Q, never>(call), done = new URL(call.request.url).searchParams.get("done");
      // Lets the browser cache the page for the Back button. Signing out clears this cache (routes/sign-out.ts).
      const headers = { "cache-control": "private, no-cache" };
      return { ...answer(pageCall, { flash: renderFlashMessage(done), ...await show(pageCall) }), headers };
    },
  });
}

interface FormPage<B> extends Pick<Page<unknown>, "summary" | "duringEnrolment"> {
  /** Loads and renders the page. `submission` is the form's input if the API refused the form. */
  show(call: PageContext<unknown, unknown>, submission?: RefusedSubmission): PageView | Promise<PageView>;
  readonly form: Pick<FormAction<B, Record<string, never>>, "summary" | "rateLimitMessage" | "body" | "submit">;
}

/** Declares a page with a form that is sent to the page's own path. A refused form is shown again with the errors. */
export function formPage<B = Record<string, never>>({ summary, duringEnrolment, show, form }: FormPage<B>) {
  return {
    GET: portalPage({ summary, duringEnrolment, show: (call) => show(call) }),
    POST: formAction({ ...form, duringEnrolment, onRefusal: (call, submission) => show(call, submission) }),
  };
}

interface FormAction<B, Q> extends Pick<Page<Q>, "summary" | "duringEnrolment"> {
  /** The message of a 429 response. If this message is set, form submissions are rate-limited per client network. */
  readonly rateLimitMessage?: string | undefined;
  readonly query?: Schema<Q>;
  readonly body?: Schema<B>;
  /** Handles a submitted form and returns a redirect or a page. Throws a Fault if the API refuses the request. */
  submit(call: PageContext<Q, B>): Promise<PageView | Redirect>;
  /** Returns the form with an error message. Without this function, the error is shown on a separate page. */
  onRefusal?(call: PageContext<Q, B>, submission: RefusedSubmission): PageView | Promise<PageView>;
}

export interface Redirect {
  readonly to: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function formAction<B = Record<string, never>, Q = Record<string, never>>(
  { summary, duringEnrolment, rateLimitMessage, query, body, submit, onRefusal }: FormAction<B, Q>,
) {
  return endpoint({
    summary,
    ...(duringEnrolment && { duringEnrolment }),
    access: signedInAccess,
    scope: "session",
    portal: true,
    ...(rateLimitMessage !== undefined && { rateLimitMessage }),
    params: Params,
    query: query ?? v.object({}) as unknown as Schema<Q>,
    form: true,
    body: withConfirmFields(body ?? v.object({}) as unknown as Schema<B>),
    reply: portalReply,
    errorPage: renderRefusalPage,
    handle: (call): Promise<PortalResponse> =>
      submitConfirmed(call, async (actor, fields) => {
        const pageCall = await openCall<Q, B>({ ...call, actor, body: fields });
        try {
          const done = await submit(pageCall);
          return "to" in done ? { status: 303, ...done } : answer(pageCall, done);
        } catch (error) {
          if (!onRefusal || !isForForm(error)) throw error;
          const view = await onRefusal(pageCall, toRefusedSubmission(error, { ...fields }));
          return {
            ...answer(pageCall, { ...view, status: getHttpStatus(error.kind) }),
            headers: buildErrorHeaders(error),
          };
        }
      }),
  });
}

/** The result of an API call such as a preview, or the refusal. `blocked` is true if the real call would also fail. */
export type ResultOrRefusal<T> =
  | { readonly result: T; readonly submission?: undefined; readonly blocked: false }
  | { readonly result: null; readonly submission: RefusedSubmission; readonly blocked: boolean };

/** Awaits an API call for an optional part of a page, such as a preview. Returns a refusal instead of throwing it. */
export async function catchRefusal<T>(
  answer: Promise<T>,
  values: Readonly<Record<string, string>> = {},
): Promise<ResultOrRefusal<T>> {
  try {
    return { result: await answer, blocked: false };
  } catch (error) {
    if (!isForForm(error) || error.kind === "forbidden") throw error;
    return { result: null, submission: toRefusedSubmission(error, values), blocked: error.kind !== "unavailable" };
  }
}

const FOR_FORMS: readonly FaultKind[] = ["invalid", "conflict", "impossible", "limited", "unavailable", "forbidden"];
/** The codes of faults that no form shows: the page that confirms the session, or an error page, shows them. */
const FOR_PAGES: readonly string[] = ["access_changed", "recent_sign_in_required"];

function isForForm(error: unknown): error is Fault {
  return error instanceof Fault && FOR_FORMS.includes(error.kind) && !FOR_PAGES.includes(error.code);
}

/** Maps the codes of errors that name no field to the form field beside which the portal shows the error. */
const FIELD_OF: Readonly<Record<string, string>> = {
  slug_taken: "slug",
  domain_taken: "domain",
  domain_unproven: "domain",
  domain_reserved: "domain",
  domain_invalid: "domain",
  domain_needed: "domain",
  wrong_password: "current",
  wrong_factor: "code",
  version_not_newer: "lmsVersion",
  addon_unsupported: "lmsVersion",
  version_unchanged: "lmsVersion",
  size_unchanged: "size",
  backup_unusable: "copyBackup",
  course_missing: "courseId",
  too_many_courses: "courseId",
};

export function toRefusedSubmission(
  { code, message, fields }: Fault,
  values: Readonly<Record<string, string>>,
): RefusedSubmission {
  const field = FIELD_OF[code];
  return { values, message, problems: field === undefined ? fields : { ...fields, [field]: message } };
}

async function openCall<Q, B>(call: PageEndpointCall): Promise<PageContext<Q, B>> {
  const { app, params, query, body } = call, actor: Actor = call.actor;
  return {
    callApi: createApiCaller(call),
    me: await readCurrentUser(app, actor),
    actor,
    params,
    query,
    body,
    publicUrl: app.config.publicUrl,
    signup: app.config.signup,
    now: () => app.db.now(),
    async follow(federationId) {
      return { federationId, since: (await readStreamBounds(app.db.rows, federationId)).last };
    },
  };
}

function answer<Q, B>({ me }: PageContext<Q, B>, view: PageView): PortalResponse {
  const headers = view.continueTo === undefined ? {} : { refresh: `0;url=${view.continueTo}` };
  return { status: view.status ?? 200, page: renderShell(me, view), headers };
}
