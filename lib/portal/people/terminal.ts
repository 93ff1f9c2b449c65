/** Renders the pages on which users approve a sign-in from a terminal (`wheelwright login`). */
import { Fault } from "#lib/base/errors.ts";
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { renderExpiryFields, renderHubFields, renderScopeField } from "#lib/portal/people/token-fields.ts";

type Values = Readonly<Record<string, string>>;

/** The query of the page that `wheelwright login` opens. */
export const TERMINAL_QUERY = ["challenge", "port", "state", "name", "scope"] as const;
export type TerminalQuery = Readonly<Partial<Record<(typeof TERMINAL_QUERY)[number], string | undefined>>>;

interface ApprovalForm {
  readonly hubs: readonly Pick<Hub, "id" | "slug" | "name">[];
  readonly email: string;
  readonly values: Values;
  readonly submission?: RefusedSubmission | undefined;
}

const TITLE = "Sign in from a terminal";
const PAGE = { section: "tokens", crumbs: [["API tokens", "/tokens"]] } as const;

/** Returns the page for a terminal on the user's machine. */
export function terminalView(query: TerminalQuery, form: ApprovalForm): PageView {
  const { name = "", port } = query;
  if (port === undefined) {
    return { ...PAGE, title: TITLE, body: markup`<p>The command <code>wheelwright login</code> opens this page.</p>` };
  }
  return approvalView(form, {
    action: ui.appendQuery("/cli", query),
    facts: [["Token", name], ["Sends the token to", `this computer, port ${parsePort(port)}`]],
    warning: "Continue only if you have just run wheelwright login on this computer.",
  });
}

export interface DeviceSignInFacts {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly createdAt: string;
}

/** Returns the page for a terminal on another machine, with the facts that reveal a sign-in that somebody else started. */
export function deviceApprovalView(signIn: DeviceSignInFacts, userCode: string, form: ApprovalForm): PageView {
  const { id, name, ip, userAgent, createdAt } = signIn;
  return approvalView(form, {
    action: "/device/decide",
    hidden: { id, userCode },
    facts: [
      ["Token", name],
      ["Started from the address", ip],
      ["Started by the program", userAgent],
      ["Started", ui.renderTime(createdAt)],
    ],
    warning:
      "Did somebody send you this code? Then deny: the person who started this sign-in could act in your name. Continue " +
      "only if you have just run wheelwright login yourself.",
  });
}

interface ApprovalTexts {
  readonly action: string;
  readonly hidden?: Values;
  readonly facts: readonly (readonly [string, unknown])[];
  readonly warning: string;
}

function approvalView({ hubs, email, values, submission }: ApprovalForm, texts: ApprovalTexts): PageView {
  const { action, hidden = {}, facts, warning } = texts, { scope, limit: problem } = submission?.problems ?? {};
  const deny = markup`<button class="quiet" name="deny" value="on" formnovalidate>Deny</button>`;
  return {
    ...PAGE,
    title: `${TITLE}?`,
    lead: `The terminal gets an API token that acts as you (${email}).`,
    body: markup`${ui.callout("warn", warning)}
${ui.definitionList(facts)}
${
      renderPostForm(
        { action, button: "Approve", submission, hidden, also: deny },
        renderScopeField(values, scope, "cli"),
        renderExpiryFields(values, submission),
        renderHubFields(values, hubs, { action, problem }),
      )
    }`,
  };
}

/** Returns the page that continues to the terminal's own address, with the code or with the refusal. */
export function returnToTerminalView({ port, state = "" }: TerminalQuery, code: string | null): PageView {
  const url = new URL(`http://127.0.0.1:${parsePort(port ?? "")}/callback`);
  for (const [name, value] of Object.entries(code === null ? { error: "access_denied" } : { code })) {
    url.searchParams.set(name, value);
  }
  url.searchParams.set("state", state);
  const text = code === null ? "You denied the sign-in." : "You approved the sign-in.";
  return {
    ...PAGE,
    title: TITLE,
    body: markup`<p>${text} The terminal continues in a moment, and you can close this page.</p>
<p><a class="button" href="${url.href}">Continue to the terminal</a></p>`,
    continueTo: url.href,
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{4,5}$/.test(text) && port >= 1024 && port <= 65535) return port;
  const message = "The link is incomplete; run wheelwright login again";
  throw new Fault("invalid", "invalid_input", message, { fields: { port: "must be a port" } });
}

export function userCodeView(submission?: RefusedSubmission): PageView {
  return {
    ...PAGE,
    title: TITLE,
    lead: "The terminal shows a code of eight letters. It is valid for ten minutes.",
    body: markup`${
      ui.callout("warn", "Type only a code that your own terminal shows, never one that somebody sent you.")
    }
${
      renderPostForm(
        { action: "/device", button: "Continue", submission, also: ui.linkButton(["Cancel", "/tokens"]) },
        { name: "userCode", label: "Code", required: true, maxLength: 40, placeholder: "WDJB-MJHT" },
      )
    }`,
  };
}

/** Returns the sign-in if it has this ID. Otherwise, unlimited calls with the ID of another could try many codes. */
export function requireSameSignIn(signIn: DeviceSignInFacts, id: string): DeviceSignInFacts {
  if (signIn.id === id) return signIn;
  const message = "There is no such sign-in, or it has expired; start again in the terminal";
  throw new Fault("missing", "sign_in_missing", message);
}

export function decidedView(approved: boolean): PageView {
  return {
    ...PAGE,
    title: approved ? "Sign-in approved" : "Sign-in denied",
    body: markup`${
      approved
        ? ui.callout("good", "The terminal continues within a few seconds. You can close this page.")
        : ui.callout(
          "info",
          "The terminal gets no token. If you did not start this sign-in, somebody tried to act as you.",
        )
    }<p>${ui.linkButton(["API tokens", "/tokens"])}</p>`,
  };
}
