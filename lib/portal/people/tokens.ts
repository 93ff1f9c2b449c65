/** Renders API tokens: the list, the form to create a token, and the page that shows a new token once. */
import type * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { formatCount } from "#lib/base/text.ts";
import type { NewTokenView, TokenView } from "#lib/domains/auth/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";
import { renderExpiryFields, renderHubFields, renderScopeField, SCOPE_TEXTS } from "#lib/portal/people/token-fields.ts";
import type { PageView } from "#lib/portal/components/view.ts";

export type TokenItem = v.InferOutput<typeof TokenView>;
type NewToken = v.InferOutput<typeof NewTokenView>;

/** The maximum number of hubs that the list names for each token, and in total. */
const MAX_NAMED_HUBS = 3, MAX_LOOKUPS = 30;

const TOKEN_PAGE = { section: "tokens", crumbs: [["API tokens", "/tokens"]] } as const;

/** Returns the page with the user's tokens. `slugs` has the slug of each live hub to which a token is limited. */
export function tokensView(tokens: readonly TokenItem[], now: Date, slugs: ReadonlyMap<string, string>): PageView {
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
      : markup`<ul class="list tokens">${tokens.map((token) => row(token, now, slugs))}</ul>`,
  };
}

function row(token: TokenItem, now: Date, slugs: ReadonlyMap<string, string>): Markup {
  const { id, name, scope, prefix, federationIds, createdAt, expiresAt } = token;
  const expired = expiresAt !== null && new Date(expiresAt) <= now;
  return markup`<li id="${id}"><span class="name">${name}<span class="tiny soft"><code>${prefix}…</code></span></span>
<span class="small">${SCOPE_TEXTS[scope][0]}${
    federationIds === null ? "" : `, ${describeHubs(federationIds, slugs)}`
  }<br><span class="tiny soft">Created ${ui.renderTime(createdAt)}, last used ${lastUse(token)}</span></span>
<span class="tiny soft">${
    expired
      ? ui.badge("warn", "warning", "Expired")
      : expiresAt === null
      ? "Never expires"
      : markup`Expires ${ui.renderTime(expiresAt)}`
  }</span>
<a class="button quiet" href="/tokens/${id}/revoke">Revoke …<span class="visually-hidden"> ${name}</span></a></li>`;
}

function lastUse({ lastUsedAt, lastUsedIp, lastUsedAgent }: TokenItem): Markup {
  const from = lastUsedIp ? ` from ${lastUsedIp}` : "", agent = lastUsedAgent ? ` by ${lastUsedAgent}` : "";
  return markup`${ui.renderTime(lastUsedAt)}${from}${agent}`;
}

/** Returns the IDs of the hubs whose slugs the list shows. */
export function findNamedHubs(tokens: readonly TokenItem[]): string[] {
  const ids = tokens.flatMap(({ federationIds }) => federationIds?.slice(0, MAX_NAMED_HUBS) ?? []);
  return [...new Set(ids)].slice(0, MAX_LOOKUPS);
}

/** Describes the hubs of a token, for example `limited to north, south`. Hubs without a known slug only count. */
function describeHubs(ids: readonly string[], slugs: ReadonlyMap<string, string>): string {
  const known = ids.flatMap((id) => slugs.get(id) ?? []).slice(0, MAX_NAMED_HUBS);
  if (known.length === 0) return `limited to ${formatCount(ids.length, "hub")}`;
  const more = ids.length - known.length;
  return `limited to ${known.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

interface NewTokenForm {
  /** The hubs to choose from: one more than the form lists, if there are more. */
  readonly hubs: readonly Pick<Hub, "id" | "slug" | "name">[];
  readonly values?: Readonly<Record<string, string>>;
  readonly submission?: RefusedSubmission | undefined;
}

export function newTokenView({ hubs, submission, values = submission?.values ?? {} }: NewTokenForm): PageView {
  const { scope, limit: problem } = submission?.problems ?? {};
  return {
    ...TOKEN_PAGE,
    title: "New token",
    body: renderPostForm(
      { action: "/tokens/new", button: "Create token", submission, also: ui.linkButton(["Cancel", "/tokens"]) },
      {
        ...{ name: "name", label: "Name", hint: "The purpose of the token.", required: true, maxLength: 100 },
        value: values.name,
      },
      renderScopeField(values, scope, "readonly"),
      renderExpiryFields(values, submission),
      renderHubFields(values, hubs, { action: "/tokens/new", problem }),
    ),
  };
}

/** Returns the page that shows a new token. The token cannot be shown again. */
export function createdTokenView(
  { name, scope, prefix, expiresAt, federationIds, token }: NewToken,
  publicUrl: URL,
): PageView {
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
        ["Permissions", SCOPE_TEXTS[scope][1]],
        ["Prefix", markup`<code>${prefix}…</code>`],
        ["Expires", ui.renderTime(expiresAt)],
        ["Hubs", federationIds === null ? "All hubs that you can see" : formatCount(federationIds.length, "hub")],
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

export function revokeTokenView(token: TokenItem): PageView {
  const { id, name, prefix } = token;
  return {
    ...TOKEN_PAGE,
    title: `Revoke ${name}?`,
    body:
      markup`<p><code>${prefix}…</code> stops working immediately, and event streams that use it are closed. This cannot be undone:
the program needs a new token.</p>
<p class="soft">Last used: ${lastUse(token)}</p>
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
