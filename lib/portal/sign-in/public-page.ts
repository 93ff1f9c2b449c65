/** Declares pages and forms for users who are not signed in, such as the sign-in page. Refuses API tokens. */
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { type Actor, publicAccess } from "#lib/domains/auth/access.ts";
import { listSignInMethods, type SignInMethods } from "#lib/domains/auth/sign-in-methods.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import type { HtmlPage } from "#lib/http/page.ts";
import { buildErrorHeaders, getHttpStatus } from "#lib/http/problem.ts";
import { safeNextPath } from "#lib/portal/sign-in/sign-in.ts";
import { portalReply, type PortalResponse } from "#lib/portal/mail-links/frame.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { type CallApi, createApiCaller, type PageEndpointCall } from "#lib/portal/page/call-api.ts";
import { type Redirect, toRefusedSubmission } from "#lib/portal/page/page.ts";
import { renderRefusalPage } from "#lib/portal/page/refusal-page.ts";

/** The data that a public page passes to its functions `show` and `submit`. */
export interface PublicPageContext<T> {
  readonly callApi: CallApi;
  readonly input: T;
  readonly signup: boolean;
  readonly methods: SignInMethods;
  /** The path to open after signing in. `safeNextPath` has checked this path. */
  readonly next: string;
}

// deno-lint-ignore no-explicit-any
type Schema<T> = v.GenericSchema<any, T>;

interface PublicPage<T> {
  readonly summary: string;
  readonly query: Schema<T>;
  show(call: PublicPageContext<T>): HtmlPage | Promise<HtmlPage>;
}

/** Declares a public page. Users who are already signed in are redirected to `next`. */
export function publicPage<T extends object>({ summary, query, show }: PublicPage<T>) {
  return endpoint({
    summary,
    access: publicAccess,
    scope: "flow",
    portal: true,
    query,
    reply: portalReply,
    errorPage: renderRefusalPage,
    async handle(call): Promise<PortalResponse> {
      const publicCall = openCall<T>(call, call.query as T);
      return call.actor ? { status: 303, to: publicCall.next } : { status: 200, page: await show(publicCall) };
    },
  });
}

interface PublicForm<T> {
  readonly summary: string;
  /** The message of a 429 response. If this message is set, form submissions are rate-limited per client network. */
  readonly rateLimitMessage: string | undefined;
  readonly body: Schema<T>;
  submit(call: PublicPageContext<T>): Promise<HtmlPage | Redirect>;
  onRefusal(call: PublicPageContext<T>, submission: RefusedSubmission, code: string): HtmlPage;
}

export function publicForm<T extends object>({ summary, rateLimitMessage, body, submit, onRefusal }: PublicForm<T>) {
  return endpoint({
    summary,
    access: publicAccess,
    scope: "flow",
    portal: true,
    ...(rateLimitMessage !== undefined && { rateLimitMessage }),
    form: true,
    body,
    reply: portalReply,
    errorPage: renderRefusalPage,
    async handle(call): Promise<PortalResponse> {
      const publicCall = openCall<T>(call, call.body as T);
      try {
        const done = await submit(publicCall);
        return "to" in done ? { status: 303, ...done } : { status: 200, page: done };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const submission = toRefusedSubmission(error, publicCall.input as Record<string, string>);
        const page = onRefusal(publicCall, submission, error.code);
        return { status: getHttpStatus(error.kind), headers: buildErrorHeaders(error), page };
      }
    },
  });
}

function openCall<T extends { readonly next?: string }>(
  call: PageEndpointCall & { actor: Actor | null },
  input: T,
): PublicPageContext<T> {
  const { publicUrl, signup } = call.app.config, methods = listSignInMethods(call.app);
  return {
    callApi: createApiCaller(call),
    input,
    signup,
    methods,
    next: safeNextPath(input.next ?? "/hubs", publicUrl),
  };
}
