/** The page that greets a new user: a name, a password, and a hub to ask for. */
import { markup } from "#lib/http/page.ts";
import { field, postForm, type Submission } from "#lib/portal/components/forms.ts";
import { emptyState, linkButton } from "#lib/portal/components/parts.ts";
import type { CurrentUser, View } from "#lib/portal/components/view.ts";
import { newPasswordField } from "#lib/portal/people/account.ts";

export function welcomeView(me: CurrentUser, onboarded: boolean, refused?: Submission): View {
  const submission = refused && withFormNames(refused);
  const page = { title: `Welcome, ${me.displayName}`, section: "account" } as const;
  if (onboarded) {
    const links = markup`<div class="ends">${linkButton(["To your hubs", "/hubs"], "main")}${
      linkButton(["Your account", "/account"])
    }</div>`;
    return {
      ...page,
      body: emptyState("Your account is set up", "What you said then can be changed on your account's page.", links),
    };
  }
  return {
    ...page,
    lead: "You can leave out any of it. It is asked once.",
    style: ".stack h2 { font-size: var(--large); }",
    body: postForm(
      { action: "/welcome", button: "Done", submission, also: linkButton(["Not now", "/hubs"]) },
      field({
        name: "displayName",
        label: "Your name",
        value: me.displayName,
        autocomplete: "name",
        maxLength: 200,
        submission,
      }),
      newPasswordField(submission, false),
      me.role === "operator" ? "" : hubFields(submission),
    ),
  };
}

function hubFields(submission: Submission | undefined) {
  return markup`<h2>A hub of your own</h2>
<p class="small soft">A hub holds the sites of one organisation. An operator decides, and a mail tells you.</p>
${
    field({
      name: "slug",
      label: "Its short name",
      hint: "Lower-case letters, digits and hyphens: it stands in addresses. Leave it empty to ask for none.",
      placeholder: "north",
      maxLength: 63,
      submission,
    })
  }
${field({ name: "name", label: "What people call it", placeholder: "Northern schools", maxLength: 200, submission })}
${field({ name: "reason", label: "What it is for", maxLength: 2000, submission })}`;
}

/** The API names the fields of the request after it: `federationRequest.slug`. */
function withFormNames(submission: Submission): Submission {
  const problems = Object.entries(submission.problems).map((
    [name, each],
  ) => [name.replace("federationRequest.", ""), each]);
  return { ...submission, problems: Object.fromEntries(problems) };
}

type OnboardingForm = Readonly<Record<"displayName" | "password" | "slug" | "name" | "reason", string>>;

/** As the API takes it: what is empty is not said. */
export function onboardingBody({ displayName, password, slug, name, reason }: OnboardingForm) {
  const trimmed = (text: string) => text.trim() || undefined;
  return {
    displayName: trimmed(displayName),
    password: password || undefined,
    federationRequest: trimmed(slug) && { slug: trimmed(slug), name: trimmed(name), reason: trimmed(reason) },
  };
}
