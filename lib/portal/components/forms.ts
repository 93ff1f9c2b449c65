/** The forms of the portal: their fields, and what is said at one that was not taken. */
import { type Markup, markup } from "#lib/http/page.ts";
import { hidden, notice } from "#lib/portal/components/parts.ts";

/** A form that comes back: what was typed, and why it was not taken. */
export interface Tried {
  readonly values: Readonly<Record<string, string>>;
  readonly message: string;
  /** By the field's name what it must be. */
  readonly problems: Readonly<Record<string, string>>;
}

interface Form {
  readonly action: string;
  readonly button: string;
  readonly look?: "main" | "danger";
  readonly tried?: Tried | undefined;
  /** Whether what is wrong is said beside the form, and at its top it would only move what one types in. */
  readonly saidBeside?: boolean;
  readonly hidden?: Readonly<Record<string, string>>;
  /** Beside the button. */
  readonly also?: Markup | string;
  /** The id of a live part that shows what the form would do, asked for as one types by sending it with `preview`. */
  readonly previews?: string;
}

export function formOf(
  { action, button, look = "main", tried, saidBeside = false, hidden: also = {}, also: more = "", previews }: Form,
  ...fields: readonly unknown[]
): Markup {
  const inside = markup`${fields}`;
  return markup`<form method="post" action="${action}" class="stack" ${
    previews === undefined ? "" : markup`data-previews="${previews}"`
  }>
${tried && !saidBeside ? markup`<div id="refusal">${notice("bad", whatIsWrong(tried, inside.toString()))}</div>` : ""}
${hidden(also)}${inside}
<div class="ends"><button class="${look}">${button}</button>${more}</div>
</form>`;
}

/** The refusal itself where not all of it is said at the form's own fields. */
function whatIsWrong({ message, problems }: Tried, inside: string): string {
  const names = Object.keys(problems), isSaid = (name: string) => inside.includes(`id="${name}-problem"`);
  if (names.length === 0 || !names.every(isSaid)) return `${message}.`;
  return "Nothing was changed yet: something in the form needs your attention.";
}

interface Field {
  readonly name: string;
  readonly label: string;
  /** What a problem is said of; the label when absent. */
  readonly subject?: string;
  readonly hint?: Markup | string;
  readonly type?: "text" | "email" | "password" | "search" | "url" | "number" | "datetime-local";
  readonly value?: string | null | undefined;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly tried?: Tried | undefined;
  /** Characters that it takes. */
  readonly least?: number;
  readonly most?: number;
}

export function field(given: Field): Markup {
  const { name, label, subject = label, hint, type = "text", value, required = false, tried } = given;
  const attributes = {
    // A password is never sent back.
    ...(type !== "password" && { value: tried?.values[name] ?? value ?? "" }),
    autocomplete: given.autocomplete ?? "off",
    placeholder: given.placeholder,
    minlength: given.least,
    maxlength: given.most,
    // Browsers refuse an internationalised local part in an input of type email, so that nobody could submit one.
    ...(type === "email" && { inputmode: "email" }),
    ...(["text", "email"].includes(type) && { autocapitalize: "none", spellcheck: "false" }),
  };
  return markup`<div class="field"><label for="${name}">${label}${
    required || type === "search" ? "" : markup` <span class="hint">optional</span>`
  }</label>
<input id="${name}" name="${name}" type="${type === "email" ? "text" : type}" ${required ? markup`required` : ""} ${
    Object.entries(attributes).map(([key, each]) => each === undefined ? "" : markup`${key}="${each}" `)
  }${marks(name, hint, tried)}>
${told(name, subject, hint, tried)}</div>`;
}

interface Area {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly tried?: Tried | undefined;
  readonly most: number;
}

/** Text of several lines. */
export function area({ name, label, hint, required = false, tried, most }: Area): Markup {
  return markup`<div class="field"><label for="${name}">${label}${
    required ? "" : markup` <span class="hint">optional</span>`
  }</label>
<textarea id="${name}" name="${name}" rows="4" maxlength="${most}" ${required ? markup`required` : ""} ${
    marks(name, hint, tried)
  }>${tried?.values[name] ?? ""}</textarea>
${told(name, label, hint, tried)}</div>`;
}

/** What a select offers: the value, and the text where that is another. */
export type Option = readonly [value: string, text?: string];

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly value?: string | null | undefined;
  readonly hint?: Markup | string;
  readonly tried?: Tried | undefined;
}

export function choice({ name, label, options, value, hint, tried }: Choice): Markup {
  const chosen = tried?.values[name] ?? value ?? "";
  return markup`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}" ${marks(name, hint, tried)}>${
    options.map(([each, text = each]) =>
      markup`<option value="${each}" ${each === chosen ? markup`selected` : ""}>${text}</option>`
    )
  }</select>
${told(name, label, hint, tried)}</div>`;
}

/** A box to tick; it sends `on`. */
export function tick(name: string, label: string, ticked: boolean, hint?: string): Markup {
  return markup`<div class="field tick"><input id="${name}" name="${name}" type="checkbox" value="on" autocomplete="off" ${
    ticked ? markup`checked` : ""
  } ${marks(name, hint, undefined)}><label for="${name}">${label}</label>
${told(name, label, hint, undefined)}</div>`;
}

/** What tells the browser, and those who hear the page, about the field; one goes on at the first that is wrong. */
function marks(name: string, hint: Markup | string | undefined, tried: Tried | undefined): Markup {
  const wrong = tried?.problems[name] !== undefined;
  const about = [...(wrong ? [`${name}-problem`] : []), ...(hint ? [`${name}-hint`] : [])].join(" ");
  return markup`${about ? markup`aria-describedby="${about}"` : ""} ${wrong ? markup`aria-invalid="true"` : ""} ${
    tried && Object.keys(tried.problems)[0] === name ? markup`autofocus` : ""
  }`;
}

function told(name: string, subject: string, hint: Markup | string | undefined, tried: Tried | undefined): Markup {
  const problem = tried?.problems[name];
  return markup`${hint ? markup`<p class="hint" id="${name}-hint">${hint}</p>` : ""}${
    problem === undefined ? "" : markup`<p class="problem" id="${name}-problem">${sentence(subject, problem)}</p>`
  }`;
}

/** `must be text` and `The slug north is taken`, as sentences. */
function sentence(subject: string, problem: string): string {
  return /^[a-z]/.test(problem) ? `${subject} ${problem}.` : `${problem}.`;
}
