/** What the pages before signing in declare, and what their forms do. They answer people without a session, and no token. */
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { type Actor, anyone } from "#lib/domains/auth/access.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import type { HtmlPage } from "#lib/http/page.ts";
import { httpStatusOf, refusalHeaders } from "#lib/http/problem.ts";
import { ownPath } from "#lib/portal/sign-in/sign-in.ts";
import { type Shown, shown } from "#lib/portal/mail-links/frame.ts";
import type { Tried } from "#lib/portal/components/forms.ts";
import { type AnyCall, type Ask, asking } from "#lib/portal/page/ask.ts";
import { type GoOn, triedOf } from "#lib/portal/page/page.ts";
import { refusedPage } from "#lib/portal/page/refused.ts";

/** What such a page is made with. */
export interface DoorCall<T> {
  readonly ask: Ask;
  readonly given: T;
  readonly signup: boolean;
  /** The path that one wanted, made sure to be ours. */
  readonly next: string;
}

// deno-lint-ignore no-explicit-any
type Schema<T> = v.GenericSchema<any, T>;

interface Door<T> {
  readonly summary: string;
  readonly query: Schema<T>;
  show(call: DoorCall<T>): HtmlPage;
}

/** Who is signed in already is led on. */
export function door<T extends object>({ summary, query, show }: Door<T>) {
  return endpoint({
    summary,
    access: anyone,
    scope: "flow",
    portal: true,
    query,
    reply: shown,
    refusal: refusedPage,
    handle(call): Shown {
      const asked = openCall<T>(call, call.query as T);
      return call.actor ? { status: 303, to: asked.next } : { status: 200, page: show(asked) };
    },
  });
}

interface Entry<T> {
  readonly summary: string;
  /** The message of those who try too often. */
  readonly bucket: string | undefined;
  readonly body: Schema<T>;
  act(call: DoorCall<T>): Promise<HtmlPage | GoOn>;
  again(call: DoorCall<T>, tried: Tried): HtmlPage;
}

export function entry<T extends object>({ summary, bucket, body, act, again }: Entry<T>) {
  return endpoint({
    summary,
    access: anyone,
    scope: "flow",
    portal: true,
    ...(bucket !== undefined && { bucket }),
    form: true,
    body,
    reply: shown,
    refusal: refusedPage,
    async handle(call): Promise<Shown> {
      const asked = openCall<T>(call, call.body as T);
      try {
        const done = await act(asked);
        return "to" in done ? { status: 303, ...done } : { status: 200, page: done };
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const page = again(asked, triedOf(error, asked.given as Record<string, string>));
        return { status: httpStatusOf(error.kind), headers: refusalHeaders(error), page };
      }
    },
  });
}

function openCall<T extends { readonly next?: string }>(
  call: AnyCall & { actor: Actor | null },
  given: T,
): DoorCall<T> {
  const { publicUrl, signup } = call.app.config;
  return { ask: asking(call), given, signup, next: ownPath(given.next ?? "/hubs", publicUrl) };
}
