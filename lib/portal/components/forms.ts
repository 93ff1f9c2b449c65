/** Renders the portal's forms and shows validation errors next to the fields. */
import { Fault } from "#lib/base/errors.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { callout, hiddenInputs, humanize } from "#lib/portal/components/parts.ts";

/** A form submission that the API refused: the user's input, and the reason for the refusal. */
export interface RefusedSubmission {
  readonly values: Readonly<Record<string, string>>;
  readonly message: string;
  /** Validation errors by field name, such as `must be text`. */
  readonly problems: Readonly<Record<string, string>>;
}

interface Form {
  readonly action: string;
  readonly button: string;
  readonly variant?: "main" | "danger";
  readonly submission?: RefusedSubmission | undefined;
  /** Whether to omit the error message above the form. True if a preview next to the form shows that message. */
  readonly hideRefusal?: boolean;
  readonly hidden?: Readonly<Record<string, string>>;
  /** Markup to put next to the submit button. */
  readonly also?: Markup | string;
  /** The ID of the element in which the portal's script shows a preview while the user types. */
  readonly previews?: string;
}

/** A part of a form: a declared field, or finished markup. */
export type FormContent = FormField | Markup | string;

/** Renders a form. Shows the user's input and the error messages of a refused `submission` in the declared fields. */
export function renderPostForm(
  { action, button, variant = "main", submission, hideRefusal = false, hidden: also = {}, also: more = "", previews }:
    Form,
  ...fields: readonly FormContent[]
): Markup {
  const inside = renderFormFields(fields, submission);
  return markup`<form method="post" action="${action}" class="stack" ${
    previews === undefined ? "" : markup`data-previews="${previews}"`
  }>
${
    submission && !hideRefusal
      ? markup`<div id="refusal">${callout("bad", refusalText(submission, inside.toString()))}</div>`
      : ""
  }
${hiddenInputs(also)}${inside}
<div class="form-actions"><button class="${variant}">${button}</button>${more}</div>
</form>`;
}

export function renderFormFields(fields: readonly FormContent[], submission?: RefusedSubmission): Markup {
  return markup`${
    fields.map((field) => typeof field === "object" && "label" in field ? renderFormField(field, submission) : field)
  }`;
}

/** Returns the API's error message, or a short message if every error already appears next to its form field. */
function refusalText({ message, problems }: RefusedSubmission, inside: string): string {
  const names = Object.keys(problems), isListed = (name: string) => inside.includes(`id="${name}-problem"`);
  if (names.length === 0 || !names.every(isListed)) return `${message}.`;
  return "Your input was not saved. Correct the marked fields.";
}

interface TextField {
  readonly name: string;
  readonly label: string;
  /** The subject of error messages about this field, such as `The slug`. Defaults to the label. */
  readonly subject?: string;
  readonly hint?: Markup | string;
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "date" | "datetime-local" | "textarea";
  readonly value?: string | null | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  /** The minimum length in characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** An option of a select element: a value, and a label if the label differs from the value. */
export type SelectOption = readonly [value: string, text?: string];

interface SelectField {
  readonly name: string;
  readonly label: string;
  readonly options: readonly SelectOption[];
  readonly value?: string | null | undefined;
  readonly hint?: Markup | string;
}

export type FormField = TextField | SelectField;

/** The types of fields that only filter forms have. Their labels do not say that they are optional. */
const FILTER_TYPES: readonly string[] = ["search", "datetime-local"];

/** Renders a form field. After a refused submission, shows the user's input and the error message. */
export function renderFormField(field: FormField, submission?: RefusedSubmission): Markup {
  return "options" in field ? selectElement(field, submission) : textElement(field, submission);
}

function textElement(field: TextField, submission: RefusedSubmission | undefined): Markup {
  const { name, label, subject = label, hint, type = "text", required = false, maxLength } = field;
  const value = submission?.values[name] ?? field.value ?? "";
  const head = markup`<div class="field"><label for="${name}">${label}${
    required || FILTER_TYPES.includes(type) ? "" : markup` <span class="hint">optional</span>`
  }</label>`;
  const tail = markup`${hintAndProblem(name, subject, hint, submission)}</div>`;
  const mark = required ? markup`required` : "", aria = ariaAttributes(name, hint, submission);
  if (type === "textarea") {
    return markup`${head}
<textarea id="${name}" name="${name}" rows="4" maxlength="${maxLength}" ${mark} ${aria}>${value}</textarea>
${tail}`;
  }
  const attributes = {
    // Fills in the earlier value, except in password fields: passwords are never sent back to the browser.
    ...(type !== "password" && { value }),
    autocomplete: field.autocomplete ?? "off",
    placeholder: field.placeholder,
    minlength: field.minLength,
    maxlength: maxLength,
    // Does not use the input type `email`, because browsers would reject non-ASCII characters before the @.
    ...(type === "email" && { inputmode: "email" }),
    ...(["text", "email"].includes(type) && { autocapitalize: "none", spellcheck: "false" }),
  };
  return markup`${head}
<input id="${name}" name="${name}" type="${type === "email" ? "text" : type}" ${mark} ${
    Object.entries(attributes).map(([key, each]) => each === undefined ? "" : markup`${key}="${each}" `)
  }${aria}>
${tail}`;
}

function selectElement({ name, label, options, value, hint }: SelectField, submission?: RefusedSubmission): Markup {
  const chosen = submission?.values[name] ?? value ?? "";
  return markup`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}" ${ariaAttributes(name, hint, submission)}>${
    options.map(([each, text = each]) =>
      markup`<option value="${each}" ${each === chosen ? markup`selected` : ""}>${text}</option>`
    )
  }</select>
${hintAndProblem(name, label, hint, submission)}</div>`;
}

/** Returns options for each value and, first, an empty option, which does not filter a list. */
export function filterOptions(values: readonly string[]): readonly SelectOption[] {
  return [["", "Any"], ...values.map((value) => [value, humanize(value)] as const)];
}

/** Renders the form that filters a list. The form reloads the page with the fields' values as query parameters. */
export function renderFilterForm(action: string, fields: readonly FormField[], also: Markup | string = ""): Markup {
  return markup`<form class="filters" role="search" action="${action}">
${fields.map((field) => markup`${renderFormField(field)}\n`)}<button class="quiet">Search</button>${also}</form>`;
}

/** Renders a checkbox. If the user ticks the checkbox, the form sends the value `on`. */
export function checkboxField(name: string, label: string, ticked: boolean, hint?: string): Markup {
  return markup`<div class="field tick"><input id="${name}" name="${name}" type="checkbox" value="on" autocomplete="off" ${
    ticked ? markup`checked` : ""
  } ${ariaAttributes(name, hint, undefined)}><label for="${name}">${label}</label>
${hintAndProblem(name, label, hint, undefined)}</div>`;
}

/** Returns the ARIA attributes of a form field. The first field with an error also gets the focus. */
function ariaAttributes(
  name: string,
  hint: Markup | string | undefined,
  submission: RefusedSubmission | undefined,
): Markup {
  const wrong = submission?.problems[name] !== undefined;
  const about = [...(wrong ? [`${name}-problem`] : []), ...(hint ? [`${name}-hint`] : [])].join(" ");
  return markup`${about ? markup`aria-describedby="${about}"` : ""} ${wrong ? markup`aria-invalid="true"` : ""} ${
    submission && Object.keys(submission.problems)[0] === name ? markup`autofocus` : ""
  }`;
}

function hintAndProblem(
  name: string,
  subject: string,
  hint: Markup | string | undefined,
  submission: RefusedSubmission | undefined,
): Markup {
  const problem = submission?.problems[name];
  return markup`${hint ? markup`<p class="hint" id="${name}-hint">${hint}</p>` : ""}${
    problem === undefined ? "" : markup`<p class="problem" id="${name}-problem">${sentence(subject, problem)}</p>`
  }`;
}

/** Turns an error message into a sentence. Adds the subject if the message lacks one, as in `must be text`. */
function sentence(subject: string, problem: string): string {
  return /^[a-z]/.test(problem) ? `${subject} ${problem}.` : `${problem}.`;
}

/** Throws an `invalid` fault unless the user typed the slug as confirmation. `meaning` explains the slug in the error. */
export function requireTypedSlug(slug: string, typed: string, meaning?: string): void {
  if (typed.trim() === slug) return;
  const fields = { slug: `must be ${slug}${meaning === undefined ? "" : `, ${meaning}`}` };
  throw new Fault("invalid", "invalid_input", `slug ${fields.slug}`, { fields });
}
