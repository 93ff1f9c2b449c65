/** How these pages end: with what to do next, or with a link that opens nothing any more. */
import type { App } from "#lib/app.ts";
import type { Purpose } from "#lib/auth/one-time.ts";
import { Fault } from "#lib/errors.ts";
import type { Service } from "#lib/http/endpoint.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { frame, outcome, type Shown } from "#lib/portal/frame.ts";

/** Whether there is a portal that a person can be sent to. */
export function hasPortal({ config }: App, { manifest }: Service): boolean {
  return config.portal && manifest.some(([pattern]) => pattern === "/sign-in");
}

/** Where somebody who can sign in now goes on. */
export function goOn(app: App, service: Service): Markup {
  if (hasPortal(app, service)) return markup`<a class="button" href="/">Go on to Wheelwright</a>`;
  const docs = service.manifest.some(([pattern]) => pattern === "/api/docs");
  return markup`<p>Sign in with this address and your password in whatever your organisation uses to look after its
sites, or through the API: <code class="address">POST ${
    new URL("/api/auth/login", app.config.publicUrl).href
  }</code></p>
${docs ? markup`<p><a href="/api/docs">How the API works</a></p>` : ""}`;
}

const ADVICE: Readonly<Record<Purpose, string>> = {
  invitation:
    "If you accepted it before, you can sign in with the password that you set. If it is older than seven days, ask " +
    "whoever invited you to do it again: you will get a new mail.",
  password_reset:
    "If you set a new password with it, sign in with that one. If it is older than an hour, ask for another " +
    "in the same way as you asked for this one.",
  email_verification:
    "If you confirmed your address before, you can sign in. If it is older than a day, sign up once more " +
    "with the same address: you will get a new mail.",
};

/** One page for every link that opens nothing: why is nobody's business who does not know. */
export function spent(purpose: Purpose): Shown {
  const title = "This link does not work any more";
  const lead = "It has been used, has expired, or was not copied as a whole.";
  return { status: 422, page: frame(title, markup`${outcome("wrong", title, lead)}<p>${ADVICE[purpose]}</p>`) };
}

/** What the work shows, or that page when somebody else has used the link up meanwhile. */
export async function unlessSpent(purpose: Purpose, work: () => Promise<Shown>): Promise<Shown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === "link_spent") return spent(purpose);
    throw error;
  }
}
