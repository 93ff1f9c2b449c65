/** Parses HTML forms. Their fields are validated like JSON. requireSameOrigin (guards.ts) refuses forms from other sites. */
import { Fault } from "#lib/base/errors.ts";
import type { Exchange } from "#lib/http/exchange.ts";

/**
 * Returns the fields as text. Throws a fault: `media_type` (`not_a_form`), `invalid` (`bad_form`), or a fault of
 * reading the body.
 */
export async function readForm(exchange: Exchange): Promise<Record<string, string>> {
  const bytes = await exchange.body();
  const type = exchange.request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) {
    throw new Fault("media_type", "not_a_form", "The body must be a form, application/x-www-form-urlencoded");
  }
  const fields = new URLSearchParams(decode(bytes));
  const names = [...fields.keys()];
  if (new Set(names).size < names.length) throw badForm();
  return Object.fromEntries(fields);
}

/** Checks that the form is UTF-8, because URLSearchParams would replace invalid bytes. */
function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    decodeURIComponent(text);
    return text;
  } catch {
    throw badForm(); // has no cause, because that would quote the form with its password
  }
}

function badForm(): Fault {
  return new Fault("invalid", "bad_form", "The form must be percent-encoded UTF-8 with each field once");
}
