/** Renders the forms whose button uses a passkey. The browser's script fills in the response (browser/passkeys.ts). */
import { type Markup, markup } from "#lib/http/page.ts";
import { hiddenInputs } from "#lib/portal/components/parts.ts";

interface PasskeyForm {
  readonly action: string;
  readonly button: string;
  /** The purpose of the passkey: `sign-in`, `second-factor`, `confirm` or `register`. */
  readonly use: string;
  /** The name of the field for the browser's response. */
  readonly field?: string;
  /** The options for a new passkey. */
  readonly options?: object;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly variant?: "main" | "quiet";
}

export function renderPasskeyForm(
  { action, button, use, field = "passkey", options, hidden = {}, variant = "quiet" }: PasskeyForm,
): Markup {
  return markup`<form method="post" action="${action}" class="stack passkey" data-passkey="${use}" ${
    options === undefined ? "" : markup`data-options="${JSON.stringify(options)}"`
  } hidden>
<p class="problem" role="alert" data-status hidden></p>
${hiddenInputs(hidden)}<input type="hidden" name="${field}" value="" data-response>
<div class="form-actions"><button class="${variant}">${button}</button></div>
</form>`;
}

/** Parses the browser's response in a form. Returns undefined for an empty or malformed text. */
export function parsePasskeyText(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
