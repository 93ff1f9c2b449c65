/** Renders the form fields of a new API token, its scope, expiry and hubs, and reads them from a submitted form. */
import { Fault } from "#lib/base/errors.ts";
import { DAY } from "#lib/base/time.ts";
import type { TokenScope } from "#lib/drivers/crypto/token.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderFormField } from "#lib/portal/components/forms.ts";
import type { Hub } from "#lib/portal/components/api-types.ts";

type FormValues = Readonly<Record<string, string>>;

/** The names of the fields. The form also has a field for each listed hub. */
export const TOKEN_FIELDS = ["scope", "expiresAt", "expiresOn", "limit", "q", "search"] as const;

/** The maximum number of hubs that the form lists. With more hubs, the form has a search field. */
const MAX_LISTED_HUBS = 20;

export const SCOPE_TEXTS: Readonly<Record<TokenScope, readonly [name: string, permission: string]>> = {
  readonly: ["Read only", "Can read everything that you can see, but change nothing."],
  provisioning: ["Add and remove spokes", "Can also add and remove spokes."],
  cli: [
    "Full API access",
    "Can also run actions on spokes, change hubs and manage members, within your permissions.",
  ],
};

export function renderScopeField(values: FormValues, problem: string | undefined, usual: TokenScope): Markup {
  const chosen = values.scope ?? usual;
  return markup`<fieldset class="scopes"><legend>Scope</legend>${
    Object.entries(SCOPE_TEXTS).map(([scope, [title, permission]]) =>
      markup`<div class="field tick"><input type="radio" id="scope-${scope}" name="scope" value="${scope}" required ${
        scope === chosen ? markup`checked` : ""
      } aria-describedby="scope-${scope}-hint"><label for="scope-${scope}">${title}</label>
<p class="hint" id="scope-${scope}-hint">${permission} <code>${scope}</code></p></div>`
    )
  }${problem === undefined ? "" : markup`<p class="problem">Scope ${problem}.</p>`}</fieldset>`;
}

const EXPIRIES = [
  ...[["7", "In 7 days"], ["30", "In 30 days"], ["90", "In 90 days"], ["365", "In a year"]] as const,
  ...[["date", "On a date"], ["never", "Never"]] as const,
];
const DATE_PROBLEM = "must be a date such as 2027-06-30";

export function renderExpiryFields(values: FormValues, submission?: RefusedSubmission): Markup {
  const hint = "A token without an expiry works until somebody revokes it, even if it leaks and nobody notices.";
  return markup`${
    renderFormField(
      { name: "expiresAt", label: "Expires", options: EXPIRIES, value: values.expiresAt ?? "90", hint },
      submission,
    )
  }${
    renderFormField({
      ...{ name: "expiresOn", label: "Date", type: "date", value: values.expiresOn } as const,
      hint: "Only for “On a date”. The token works until the end of this day in UTC.",
    }, submission)
  }`;
}

/** Returns the expiry time that the user chose. Returns unknown choices unchanged; the API rejects them. */
export function parseTokenExpiry({ expiresAt, expiresOn }: FormValues, now: Date): string | undefined {
  if (expiresAt === "never") return undefined;
  if (expiresAt === "date") {
    const day = Date.parse(`${expiresOn}T00:00:00Z`);
    if (/^\d{4}-\d\d-\d\d$/.test(expiresOn ?? "") && !Number.isNaN(day)) return new Date(day + DAY).toISOString();
    throw new Fault("invalid", "invalid_input", `expiresOn ${DATE_PROBLEM}`, { fields: { expiresOn: DATE_PROBLEM } });
  }
  const isListed = EXPIRIES.some(([days]) => days === expiresAt);
  return isListed ? new Date(now.getTime() + Number(expiresAt) * DAY).toISOString() : expiresAt;
}

interface HubQuestion extends FormValues {
  readonly limit: string;
}

/** Finds the hubs for the form: all of them, or those with the searched text in their name or slug. */
export async function findHubsToLimit<H>(
  find: (query: HubQuestion) => Promise<{ readonly items: readonly H[] }>,
  search: string | undefined,
): Promise<readonly H[]> {
  const q = search?.trim();
  return (await find({ limit: String(MAX_LISTED_HUBS + 1), ...(q && { q }) })).items;
}

const HUB_FIELD = /^hub-(fed_\w+)$/;
const NO_HUB = "must name at least one hub";

/** Returns the IDs of the ticked hubs, or undefined for all hubs. Throws an `invalid` fault if no hub is ticked. */
export function parseHubLimit(values: FormValues): string[] | undefined {
  if (values.limit !== "hubs") return undefined;
  const ids = listTickedHubs(values).map(([id]) => id);
  if (ids.length > 0) return ids;
  throw new Fault("invalid", "invalid_input", `The limit ${NO_HUB}`, { fields: { limit: NO_HUB } });
}

/** Returns the ID and the slug of each ticked hub. The slug is only for display. */
function listTickedHubs(values: FormValues): (readonly [id: string, slug: string])[] {
  return Object.entries(values).flatMap(([name, slug]) => {
    const id = HUB_FIELD.exec(name)?.[1];
    return id === undefined ? [] : [[id, slug] as const];
  });
}

/**
 * Renders the choice between all hubs and some hubs. `hubs` are the found hubs, of which the form lists the first. Hubs
 * that were ticked before a search stay in the form.
 */
export function renderHubFields(
  values: FormValues,
  hubs: readonly Pick<Hub, "id" | "slug" | "name">[],
  { action, problem }: { readonly action: string; readonly problem: string | undefined },
): Markup {
  const ticked = new Map(listTickedHubs(values)), listed = hubs.slice(0, MAX_LISTED_HUBS);
  const others = [...ticked].filter(([id]) => !listed.some((hub) => hub.id === id));
  const choices = [...others.map(([id, slug]) => ({ id, slug, name: slug })), ...listed];
  const isSearchable = hubs.length > MAX_LISTED_HUBS || values.q !== undefined && values.q !== "";
  const radio = (value: string, text: string, hint: string, isChosen: boolean) =>
    markup`<div class="field tick"><input type="radio" id="limit-${value}" name="limit" value="${value}" ${
      isChosen ? markup`checked` : ""
    } aria-describedby="limit-${value}-hint"><label for="limit-${value}">${text}</label>
<p class="hint" id="limit-${value}-hint">${hint}</p></div>`;
  return markup`<fieldset class="scopes hub-limit"><legend>Hubs</legend>
${radio("all", "All hubs", "Everything that you can see, now and later.", values.limit !== "hubs")}
${
    radio(
      "hubs",
      "Only some hubs",
      "At most the rights of an administrator of these hubs. Cannot read or change your account.",
      values.limit === "hubs",
    )
  }
${problem === undefined ? "" : markup`<p class="problem" id="limit-problem">The limit ${problem}.</p>`}
${isSearchable ? searchField(values.q ?? "", action) : ""}
<div class="hub-choices">${
    choices.map(({ id, slug, name }) =>
      markup`<div class="field tick"><input type="checkbox" id="hub-${id}" name="hub-${id}" value="${slug}" autocomplete="off" ${
        ticked.has(id) ? markup`checked` : ""
      }><label for="hub-${id}">${name}${name === slug ? "" : markup` <span class="soft">${slug}</span>`}</label></div>`
    )
  }${choices.length === 0 ? markup`<p class="hint">No hub matches.</p>` : ""}</div></fieldset>`;
}

function searchField(query: string, action: string): Markup {
  return markup`<div class="hub-search"><label class="visually-hidden" for="q">Search hubs</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Name or slug" autocomplete="off">
<button class="quiet" name="search" value="on" formaction="${action}" formnovalidate>Search hubs</button></div>`;
}
