/** The page that greets a new user: a name, a password, and a hub to ask for. */
import { markup } from "#lib/http/page.ts";
import { field, formOf, type Tried } from "#lib/portal/components/forms.ts";
import { empty, linkButton } from "#lib/portal/components/parts.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import { newPasswordField } from "#lib/portal/people/account.ts";

export function welcomeView(me: Me, onboarded: boolean, sent?: Tried): View {
  const tried = sent && ofForm(sent);
  const page = { title: `Welcome, ${me.displayName}`, section: "account" } as const;
  if (onboarded) {
    const ways = markup`<div class="ends">${linkButton(["To your hubs", "/hubs"], "main")}${
      linkButton(["Your account", "/account"])
    }</div>`;
    return {
      ...page,
      body: empty("Your account is set up", "What you said then can be changed on your account's page.", ways),
    };
  }
  return {
    ...page,
    lead: "You can leave out any of it. It is asked once.",
    style: ".stack h2 { font-size: var(--large); }",
    body: formOf(
      { action: "/welcome", button: "Done", tried, also: linkButton(["Not now", "/hubs"]) },
      field({ name: "displayName", label: "Your name", value: me.displayName, autocomplete: "name", most: 200, tried }),
      newPasswordField(tried, false),
      me.role === "operator" ? "" : hubFields(tried),
    ),
  };
}

function hubFields(tried: Tried | undefined) {
  return markup`<h2>A hub of your own</h2>
<p class="small soft">A hub holds the sites of one organisation. An operator decides, and a mail tells you.</p>
${
    field({
      name: "slug",
      label: "Its short name",
      hint: "Lower-case letters, digits and hyphens: it stands in addresses. Leave it empty to ask for none.",
      placeholder: "north",
      most: 63,
      tried,
    })
  }
${field({ name: "name", label: "What people call it", placeholder: "Northern schools", most: 200, tried })}
${field({ name: "reason", label: "What it is for", most: 2000, tried })}`;
}

/** The API names the fields of the request after it: `federationRequest.slug`. */
function ofForm(tried: Tried): Tried {
  const problems = Object.entries(tried.problems).map(([name, each]) => [name.replace("federationRequest.", ""), each]);
  return { ...tried, problems: Object.fromEntries(problems) };
}

type Answers = Readonly<Record<"displayName" | "password" | "slug" | "name" | "reason", string>>;

/** As the API takes it: what is empty is not said. */
export function onboardingOf({ displayName, password, slug, name, reason }: Answers) {
  const said = (text: string) => text.trim() || undefined;
  return {
    displayName: said(displayName),
    password: password || undefined,
    federationRequest: said(slug) && { slug: said(slug), name: said(name), reason: said(reason) },
  };
}
