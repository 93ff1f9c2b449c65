/** Renders API tokens: the list, the form to create a token, and the page that shows a new token once. */
import type * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { DAY } from "#lib/base/time.ts";
import type { NewTokenView, TokenView } from "#lib/domains/auth/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";

export type TokenItem = v.InferOutput<typeof TokenView>;
type NewToken = v.InferOutput<typeof NewTokenView>;
type Scope = TokenItem["scope"];

const SCOPES: Readonly<Record<Scope, readonly [name: string, permission: string]>> = {
  readonly: ["Read only", "Can read everything that you can see, but change nothing."],
  provisioning: ["Add and remove spokes", "Can also add and remove spokes."],
  cli: [
    "Full API access",
    "Can also run actions on spokes, change hubs and manage members, within your permissions.",
  ],
};

const TOKEN_PAGE = { section: "tokens", crumbs: [["API tokens", "/tokens"]] } as const;

export function tokensView(tokens: readonly TokenItem[], now: Date): PageView {
  return {
    title: "API tokens",
    section: "tokens",
    lead: "A token lets a program use the API with your permissions, limited by the token's scope.",
    actions: markup`<a class="button main" href="/tokens/new" data-create>New token</a>`,
    body: tokens.length === 0
      ? ui.emptyState(
        "No tokens yet",
        "Create one token per program, so that you can revoke each token separately.",
        ui.linkButton(["New token", "/tokens/new"], "main"),
      )
      : markup`<ul class="list tokens">${tokens.map((token) => row(token, now))}</ul>`,
  };
}

function row({ id, name, scope, prefix, createdAt, lastUsedAt, expiresAt }: TokenItem, now: Date): Markup {
  const expired = expiresAt !== null && new Date(expiresAt) <= now;
  return markup`<li id="${id}"><span class="name">${name}<span class="tiny soft"><code>${prefix}…</code></span></span>
<span class="small">${SCOPES[scope][0]}<br><span class="tiny soft">Created ${ui.renderTime(createdAt)}, last used ${
    ui.renderTime(lastUsedAt)
  }</span></span>
<span class="tiny soft">${
    expired
      ? ui.badge("warn", "warning", "Expired")
      : expiresAt === null
      ? "Never expires"
      : markup`Expires ${ui.renderTime(expiresAt)}`
  }</span>
<a class="button quiet" href="/tokens/${id}/revoke">Revoke …<span class="visually-hidden"> ${name}</span></a></li>`;
}

export function newTokenView(submission?: RefusedSubmission): PageView {
  return {
    ...TOKEN_PAGE,
    title: "New token",
    body: renderPostForm(
      { action: "/tokens/new", button: "Create token", submission, also: ui.linkButton(["Cancel", "/tokens"]) },
      { name: "name", label: "Name", hint: "The purpose of the token.", required: true, maxLength: 100 },
      scopeField(submission),
      { name: "expiresAt", label: "Expires", options: EXPIRIES, value: "90" },
    ),
  };
}

function scopeField(submission: RefusedSubmission | undefined): Markup {
  const chosen = submission?.values.scope ?? "readonly", problem = submission?.problems.scope;
  return markup`<fieldset class="scopes"><legend>Scope</legend>${
    Object.entries(SCOPES).map(([scope, [title, permission]]) =>
      markup`<div class="field tick"><input type="radio" id="scope-${scope}" name="scope" value="${scope}" required ${
        scope === chosen ? markup`checked` : ""
      } aria-describedby="scope-${scope}-hint"><label for="scope-${scope}">${title}</label>
<p class="hint" id="scope-${scope}-hint">${permission} <code>${scope}</code></p></div>`
    )
  }${problem === undefined ? "" : markup`<p class="problem">Scope ${problem}.</p>`}</fieldset>`;
}

const EXPIRIES = [["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"], ["never", "Never"]] as const;

/** Converts a token's selected lifetime to an expiry time. Returns unknown values unchanged; the API rejects them. */
export function parseTokenExpiry(chosen: string, now: Date): string | undefined {
  if (chosen === "never") return undefined;
  const isListed = EXPIRIES.some(([days]) => days === chosen);
  return isListed ? new Date(now.getTime() + Number(chosen) * DAY).toISOString() : chosen;
}

/** Returns the page that shows a new token. The token cannot be shown again. */
export function createdTokenView({ name, scope, prefix, expiresAt, token }: NewToken, publicUrl: URL): PageView {
  const command = `curl -H 'Authorization: Bearer ${token}' ${new URL("/api/auth/me", publicUrl).href}`;
  return {
    ...TOKEN_PAGE,
    title: name,
    body: markup`${
      ui.callout(
        "good",
        markup`<p><b>Copy this token now.</b> It is not shown again. Anyone who has it can act in your name.</p>`,
      )
    }
${ui.panel("Token", ui.copyableCode(token, "the token"), { id: "token" })}
${
      ui.panel(
        "Try it",
        markup`<p class="small">Send the token with each request. This command returns the user that it belongs to:</p>${
          ui.copyableCode(command, "the command")
        }<p class="small"><a href="/api/docs">API reference</a></p>`,
        { id: "try" },
      )
    }
${
      ui.definitionList([
        ["Permissions", SCOPES[scope][1]],
        ["Prefix", markup`<code>${prefix}…</code>`],
        ["Expires", ui.renderTime(expiresAt)],
      ])
    }
<p>${ui.linkButton(["I have copied the token", "/tokens"])}</p>`,
  };
}

/** Returns the user's token with the ID in the path. Throws a `missing` fault if the user has no such token. */
export function requireToken(tokens: readonly TokenItem[], { tokenId }: Readonly<Record<string, string>>): TokenItem {
  const token = tokens.find(({ id }) => id === tokenId);
  if (!token) throw new Fault("missing", "token_missing", "You have no token with this ID");
  return token;
}

export function revokeTokenView({ id, name, prefix, lastUsedAt }: TokenItem): PageView {
  return {
    ...TOKEN_PAGE,
    title: `Revoke ${name}?`,
    body:
      markup`<p><code>${prefix}…</code> stops working immediately, and event streams that use it are closed. This cannot be undone:
the program needs a new token.</p>
<p class="soft">Last used: ${ui.renderTime(lastUsedAt)}</p>
${
        renderPostForm({
          action: `/tokens/${id}/revoke`,
          button: "Revoke token",
          variant: "danger",
          also: ui.linkButton(["Cancel", "/tokens"]),
        })
      }`,
  };
}
