/**
 * Renders the current user's account (name, password and sessions), and the page on which new users enter their name, a
 * password and their first hub request.
 */
import type * as v from "valibot";
import type { SessionView } from "#lib/domains/auth/views.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/drivers/crypto/password-rules.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import {
  type FormField,
  type RefusedSubmission,
  renderFormField,
  renderPostForm,
} from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { identitiesPanel, type LinkedIdentityItem } from "#lib/portal/people/identities.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";

type Session = v.InferOutput<typeof SessionView>;

interface AccountProps {
  readonly me: CurrentUser;
  readonly sessions: readonly Session[];
  readonly onboarded: boolean;
  readonly identities: readonly LinkedIdentityItem[];
}

export function accountView(
  { me, sessions, onboarded, identities }: AccountProps,
  submission?: RefusedSubmission,
): PageView {
  const others = sessions.some(({ current }) => !current);
  return {
    title: "Account",
    section: "account",
    body: markup`${
      onboarded ? "" : ui.callout(
        "info",
        markup`<p>New here? <a href="/welcome">Set up your account</a>: your name, a password${
          me.role === "operator" ? "" : ", your first hub"
        }.</p>`,
      )
    }
${
      ui.panel(
        "Profile",
        markup`${ui.definitionList([["Email address", me.email], ["Role", ui.humanize(me.role)]])}
${
          renderPostForm(
            { action: "/account", button: "Save", submission },
            {
              name: "displayName",
              label: "Name",
              value: me.displayName,
              required: true,
              autocomplete: "name",
              maxLength: 200,
            },
          )
        }`,
        { id: "you" },
      )
    }
${
      !me.usesPassword ? "" : ui.panel(
        "Password",
        markup`<p class="small soft">A new password signs you out everywhere else. API tokens keep working.</p>`,
        {
          id: "password",
          actions: ui.linkButton(["Change password", "/account/password"]),
        },
      )
    }
${identitiesPanel(identities, "/account/identities")}
${
      ui.panel(
        "Sign-in security",
        markup`<p class="small soft">A second factor protects your account even if somebody learns your password.</p>`,
        { id: "security", actions: ui.linkButton(["Second factors", "/account/security"]) },
      )
    }
${
      ui.panel("Sessions", markup`<ul class="list sessions">${sessions.map(sessionRow)}</ul>`, {
        id: "sessions",
        actions: others
          ? ui.renderPostButton("/account/sessions", "Sign out everywhere else", { fields: { which: "others" } })
          : "",
      })
    }`,
  };
}

function sessionRow({ id, createdAt, lastUsedAt, ip, userAgent, current }: Session): Markup {
  const device = deviceOf(userAgent);
  return markup`<li id="${id}"><span class="name"><span title="${userAgent}">${device}</span><span class="tiny soft">${ip}</span></span>
<span class="tiny soft">Since ${ui.renderTime(createdAt)}<br>Last used ${ui.renderTime(lastUsedAt)}</span>
${
    current
      ? ui.badge("good", "dot", "This session")
      : ui.renderPostButton("/account/sessions", "End session", { fields: { which: id }, about: device })
  }</li>`;
}

const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["Firefox"], ["Chrome"], ["Safari"], ["curl"]] as const;
const SYSTEMS = [["iPhone"], ["iPad"], ["Android"], ["Windows"], ["Mac OS X", "macOS"], ["Linux"]] as const;

/** Returns a name such as `Firefox on Linux`. Uses the first match, because user agents often name several browsers. */
function deviceOf(userAgent: string): string {
  const find = (list: readonly (readonly [mark: string, name?: string])[]) => {
    const found = list.find(([mark]) => userAgent.includes(mark));
    return found && (found[1] ?? found[0]);
  };
  const browser = find(BROWSERS), system = find(SYSTEMS);
  return [browser ?? "Unknown program", system].filter((each) => each !== undefined).join(" on ");
}

export function changePasswordView(email: string, submission?: RefusedSubmission): PageView {
  return {
    title: "Change password",
    section: "account",
    crumbs: [["Account", "/account"]],
    body: renderPostForm(
      {
        action: "/account/password",
        button: "Change password",
        submission,
        also: ui.linkButton(["Cancel", "/account"]),
      },
      markup`<input class="visually-hidden" type="text" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`,
      {
        name: "current",
        label: "Current password",
        type: "password",
        required: true,
        autocomplete: "current-password",
      },
      newPasswordField(true),
    ),
  };
}

export function newPasswordField(required: boolean): FormField {
  return {
    name: "password",
    label: "New password",
    type: "password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. Several random words make a good password.${
      required ? "" : " Leave it empty to keep your current password."
    }`,
    required,
    autocomplete: "new-password",
    minLength: MIN_PASSWORD_LENGTH,
  };
}

export function welcomeView(me: CurrentUser, onboarded: boolean, refused?: RefusedSubmission): PageView {
  const submission = refused && withFormNames(refused);
  const page = { title: `Welcome, ${me.displayName}`, section: "account" } as const;
  if (onboarded) {
    const links = markup`<div class="form-actions">${ui.linkButton(["Go to your hubs", "/hubs"], "main")}${
      ui.linkButton(["Your account", "/account"])
    }</div>`;
    return {
      ...page,
      body: ui.emptyState("Your account is set up", "You can change your details on your account page.", links),
    };
  }
  return {
    ...page,
    lead: "All fields are optional. You see this page only once.",
    body: renderPostForm(
      { action: "/welcome", button: "Done", submission, also: ui.linkButton(["Not now", "/hubs"]) },
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
