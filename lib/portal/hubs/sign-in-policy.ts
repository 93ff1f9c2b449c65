/** Renders the form for the sign-in that a hub shares, and the redirect URIs to register at the identity provider. */
import { type Markup, markup } from "#lib/http/page.ts";
import { sharesSignIn } from "#lib/model/mode.ts";
import { listPolicyFields } from "#lib/model/policy.ts";
import { formatPolicyText, parsePolicyText, SECRET_FIELDS } from "#lib/model/policy-text.ts";
import type { CheckedSignIn, Hub, HubPolicyView } from "#lib/portal/components/api-types.ts";
import { checkboxField, type FormField, type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { FIELD_WORDS } from "#lib/portal/hubs/policy-words.ts";

const FIELDS = listPolicyFields("signIn");
const LOGIN_PAGES: readonly (readonly [string, string])[] = [
  ["", "Shows the button"],
  ["redirect", "Leads straight to the provider"],
];

/** The checkbox that removes the stored registration token. */
const FORGET = "forget:signIn.registrationToken";

export const SIGN_IN_FORM_FIELDS: readonly string[] = [
  "version:signIn",
  "check",
  FORGET,
  ...FIELDS.map((field) => `signIn.${field}`),
];

/** Whether the values come from the form for the sign-in. */
export function isSignInForm(form: Readonly<Record<string, string>>): boolean {
  return (form["version:signIn"] ?? "") !== "";
}

interface SignInForm {
  /** The values of the form; absent until the user submits the form. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  /** The result of a check of the provider. */
  readonly check?: CheckedSignIn | undefined;
  readonly submission?: RefusedSubmission | undefined;
}

export function signInPanel(hub: Hub, policy: HubPolicyView, { form: typed, check, submission }: SignInForm): Markup {
  const { version, values } = policy.signIn;
  const fields = FIELDS.map((field): FormField => {
    const [label, hint] = FIELD_WORDS[field], name = `signIn.${field}`;
    const words = { name, label, hint: hint!, value: typed?.[name] ?? formatPolicyText(values[field]) };
    if (field === "loginPage") return { ...words, options: LOGIN_PAGES };
    if (field === "confirmation") return { ...words, options: [["", "No"], ["true", "Yes"]] };
    if (!isSecret(field)) return words;
    const stored = values[field] === null ? "" : " One is stored; leave the field empty to keep it.";
    return { ...words, hint: `${hint}${stored}`, value: "", type: "password", autocomplete: "new-password" };
  });
  const form = renderPostForm(
    {
      action: `/hubs/${hub.id}/policy`,
      button: "Save the sign-in",
      submission,
      hidden: { "version:signIn": typed?.["version:signIn"] ?? String(version) },
      also: markup`<button class="quiet" name="check" value="yes">Check the provider</button>`,
    },
    ...fields,
    ...(values.registrationToken === null ? [] : [
      checkboxField(FORGET, "All sites use the hub's client again", typed?.[FORGET] === "on"),
    ]),
  );
  return ui.panel("Sign-in", markup`${modeNote(hub)}${check ? checkResult(check) : ""}${form}${redirectUris(policy)}`, {
    id: "sign-in",
    lead: "People sign in to the sites with an account of your identity provider (OpenID Connect). " +
      "To remove it, empty its address and client ID.",
  });
}

function isSecret(field: string): field is (typeof SECRET_FIELDS)[number] {
  return (SECRET_FIELDS as readonly string[]).includes(field);
}

function modeNote({ mode }: Hub): Markup {
  if (sharesSignIn(mode)) return markup``;
  return ui.callout(
    "info",
    `The hub's mode is ${mode ?? "not set"}. The sites get the sign-in when the mode is identity or both.`,
  );
}

function checkResult({ issuer, problem }: CheckedSignIn): Markup {
  return problem === null
    ? ui.callout("good", `The sites can use ${issuer}. Type new secrets again before you save.`)
    : ui.callout("bad", `The sites cannot use ${issuer}: ${problem}.`);
}

function redirectUris({ redirectUris: uris, signIn }: HubPolicyView): Markup {
  if (signIn.values.registrationToken !== null) {
    return markup`<p class="small">Sites register themselves at the provider, with their addresses.</p>`;
  }
  if (uris.length === 0) {
    return markup`<p class="small">No site uses it yet: turn on “Hub sign-in” for a spoke.</p>`;
  }
  return markup`<h3>Redirect addresses</h3>
<p class="small">Register these addresses at the identity provider.</p>
<ul>${uris.map((uri) => markup`<li>${ui.copyableCode(uri, "the redirect address")}</li>`)}</ul>`;
}

/** Builds the API request. An empty secret keeps the stored one, except when the sign-in is removed. */
export function buildSignInRequest(form: Readonly<Record<string, string>>): object {
  const read = (field: string) => (form[`signIn.${field}`] ?? "").trim();
  const isRemoved = read("issuer") === "" && read("clientId") === "";
  const isForgotten = form[FORGET] === "on";
  const values = FIELDS.map((field) => {
    const typed = read(field),
      isKept = isSecret(field) && typed === "" && !isRemoved &&
        !(field === "registrationToken" && isForgotten);
    return [field, isKept ? undefined : parsePolicyText("signIn", field, typed)];
  });
  return { signIn: Object.fromEntries(values), ifVersion: { signIn: Number(form["version:signIn"]) } };
}
