/** The forms of these pages: their fields, and what is said at a field that cannot be taken. */
import * as v from "valibot";
import { LEAST, passwordProblem } from "#lib/drivers/crypto/password-rules.ts";
import { type Markup, markup } from "#lib/surface/http/page.ts";

/** By the field's name what it must be, such as `must have 12 to 256 characters`. */
export type Problems = Readonly<Record<string, string>>;

/** What a form holds when it comes back. Whatever is missing is empty: it is judged where the link is known to be good. */
export const Fields = v.object({
  token: v.optional(v.string(), ""),
  password: v.optional(v.string(), ""),
  displayName: v.optional(v.string(), ""),
});
export type Fields = v.InferOutput<typeof Fields>;

/** A box that is not ticked sends nothing. */
export const ResetFields = v.object({ ...Fields.entries, keepTokens: v.optional(v.string(), "") });
export type ResetFields = v.InferOutput<typeof ResetFields>;

type Checked<T> = { readonly fields: T } | { readonly problems: Problems };

/** The fields as JSON goes through the same schema, with a password for this account; an empty one counts as absent. */
export function checkFields<T extends { password: string }>(
  schema: v.GenericSchema<unknown, T>,
  given: Fields,
  email: string,
): Checked<T> {
  const filled = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => name === "password" || value.trim()),
  );
  const result = v.safeParse(schema, filled, { abortPipeEarly: true });
  if (result.success) {
    const password = passwordProblem(result.output.password, email);
    return password === null ? { fields: result.output } : { problems: { password } };
  }
  const problems = result.issues.map((issue) => [v.getDotPath(issue) ?? "", issue.message] as const);
  return { problems: Object.fromEntries(problems.reverse()) }; // of two at one field, the first
}

/** A form that comes back to the page that it is on; what went wrong stands above it and at its field. */
export function form(
  action: string,
  token: string,
  button: string,
  fields: readonly Markup[],
  problems: Problems = {},
): Markup {
  const alert = Object.keys(problems).length === 0 ? "" : markup`<p class="notice bad" role="alert">Nothing was changed
yet: something in the form needs your attention.</p>`;
  return markup`<form method="post" action="${action}">
${alert}
<input type="hidden" name="token" value="${token}">
${fields}
<button type="submit">${button}</button>
</form>`;
}

/**
 * Shows whose account it is: to the person as text, which a long address can wrap in, to the password manager as a
 * field.
 */
export function addressField(email: string): Markup {
  return markup`<div class="field"><p class="label">E-mail address</p>
<p class="account">${email}</p>
<input class="unseen" type="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true"></div>`;
}

export function nameField(value: string, problems: Problems): Markup {
  return markup`<div class="field"><label for="displayName">Your name</label>
<input id="displayName" name="displayName" type="text" value="${value}" autocomplete="name" maxlength="400"
${marks("displayName", problems, false)}>
${said("displayName", "Your name", problems)}</div>`;
}

export function passwordField(label: string, problems: Problems): Markup {
  const hint = `At least ${LEAST} characters. A few words of your own do well.`;
  return markup`<div class="field"><label for="password">${label}</label>
<p class="hint" id="password-hint">${hint}</p>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${LEAST}"
${marks("password", problems, true)}>
${said("password", "The password", problems)}</div>`;
}

export function tickBox(name: string, label: string, hint: string, ticked: boolean): Markup {
  return markup`<div class="field"><div class="tickbox"><input id="${name}" name="${name}" type="checkbox" value="yes"
autocomplete="off" aria-describedby="${name}-hint" ${ticked ? markup`checked` : ""}>
<label for="${name}">${label}</label></div>
<p class="hint" id="${name}-hint">${hint}</p></div>`;
}

/** What tells the browser, and those who hear the page, about the field; the first that is wrong is where one goes on. */
function marks(name: string, problems: Problems, hinted: boolean): Markup {
  const wrong = name in problems;
  const described = [...(wrong ? [`${name}-problem`] : []), ...(hinted ? [`${name}-hint`] : [])].join(" ");
  return markup`${described ? markup`aria-describedby="${described}"` : ""} ${
    wrong ? markup`aria-invalid="true"` : ""
  } ${Object.keys(problems)[0] === name ? markup`autofocus` : ""}`;
}

function said(name: string, what: string, problems: Problems): Markup | string {
  const problem = problems[name];
  return problem === undefined ? "" : markup`<p class="problem" id="${name}-problem">${what} ${problem}.</p>`;
}
