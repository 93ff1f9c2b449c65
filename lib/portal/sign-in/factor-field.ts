/** Declares the form field for a second factor, and reads what the user entered. */
import type { FactorInput } from "#lib/domains/auth/factors/check.ts";
import type { FormField } from "#lib/portal/components/forms.ts";

/** The field for a code of an app or a recovery code; `parseFactorText` tells them apart. */
export function factorField(name: string): FormField {
  return {
    name,
    label: "Code",
    hint: "The 6 digits that your authenticator app shows, or one of your recovery codes.",
    required: true,
    autocomplete: "one-time-code",
    maxLength: 100,
  };
}

/** Returns the entered text as a code of an app if it consists of digits, otherwise as a recovery code. */
export function parseFactorText(text: string): FactorInput {
  const compact = text.replaceAll(/\s/g, "");
  return /^[0-9]*$/.test(compact) ? { code: compact } : { recoveryCode: text.trim() };
}
