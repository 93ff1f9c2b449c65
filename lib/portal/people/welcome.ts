/** Renders the page on which new users enter their name, a password and their first hub request. */
import { markup } from "#lib/http/page.ts";
import { type RefusedSubmission, renderFormField, renderPostForm } from "#lib/portal/components/forms.ts";
import { emptyState, linkButton } from "#lib/portal/components/parts.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { newPasswordField } from "#lib/portal/people/account.ts";

export function welcomeView(me: CurrentUser, onboarded: boolean, refused?: RefusedSubmission): PageView {
  const submission = refused && withFormNames(refused);
  const page = { title: `Welcome, ${me.displayName}`, section: "account" } as const;
  if (onboarded) {
    const links = markup`<div class="form-actions">${linkButton(["Go to your hubs", "/hubs"], "main")}${
      linkButton(["Your account", "/account"])
    }</div>`;
    return {
      ...page,
      body: emptyState("Your account is set up", "You can change your details on your account page.", links),
    };
  }
  return {
    ...page,
    lead: "All fields are optional. You see this page only once.",
    style: ".stack h2 { font-size: var(--large); }",
    body: renderPostForm(
      { action: "/welcome", button: "Done", submission, also: linkButton(["Not now", "/hubs"]) },
      { name: "displayName", label: "Your name", value: me.displayName, autocomplete: "name", maxLength: 200 },
      newPasswordField(false),
      me.role === "operator" ? "" : hubFields(submission),
    ),
  };
}

function hubFields(submission: RefusedSubmission | undefined) {
  return markup`<h2>Your first hub</h2>
<p class="small soft">A hub groups the Moodle sites of one organisation. An operator decides on your request,
and you get an email.</p>
${
    renderFormField({
      name: "slug",
      label: "Slug",
      hint: "Lowercase letters, digits and hyphens. Used in addresses. To request no hub, leave this field empty.",
      placeholder: "north",
      maxLength: 63,
    }, submission)
  }
${
    renderFormField(
      { name: "name", label: "Name of the hub", placeholder: "Northern schools", maxLength: 200 },
      submission,
    )
  }
${renderFormField({ name: "reason", label: "Reason", maxLength: 2000 }, submission)}`;
}

/** Renames API fields in error messages, such as `federationRequest.slug`, to the names of the form's fields. */
function withFormNames(submission: RefusedSubmission): RefusedSubmission {
  const problems = Object.entries(submission.problems).map((
    [name, each],
  ) => [name.replace("federationRequest.", ""), each]);
  return { ...submission, problems: Object.fromEntries(problems) };
}

type OnboardingForm = Readonly<Record<"displayName" | "password" | "slug" | "name" | "reason", string>>;

/** Returns the request body for the onboarding API, without empty fields. */
export function buildOnboardingBody({ displayName, password, slug, name, reason }: OnboardingForm) {
  const trimmed = (text: string) => text.trim() || undefined;
  return {
    displayName: trimmed(displayName),
    password: password || undefined,
    federationRequest: trimmed(slug) && { slug: trimmed(slug), name: trimmed(name), reason: trimmed(reason) },
  };
}
