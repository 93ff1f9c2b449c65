/** Parses HTML forms. The fields are validated in the same way as JSON. */
import { Fault } from "#lib/base/errors.ts";
import type { HttpExchange } from "#lib/http/exchange.ts";

/**
 * Returns the form's fields as strings. Throws a fault: `media_type` (`not_a_form`), `invalid` (`bad_form`), or a fault
 * from reading the body.
 */
export async function readForm(exchange: HttpExchange): Promise<Record<string, string>> {
  const bytes = await exchange.body();
  const type = exchange.request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) {
    throw new Fault("media_type", "not_a_form", "The body must be a form of type application/x-www-form-urlencoded");
  }
  const fields = new URLSearchParams(decode(bytes));
  const names = [...fields.keys()];
  if (new Set(names).size < names.length) throw badForm();
  return Object.fromEntries(fields);
}

/** Decodes the form. Throws for invalid UTF-8, because URLSearchParams would silently replace invalid bytes. */
function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    decodeURIComponent(text);
    return text;
  } catch {
    throw badForm(); // without a `cause`, because the cause would quote the form and its password
  }
}

function badForm(): Fault {
  return new Fault("invalid", "bad_form", "The form must be percent-encoded UTF-8 and contain each field once");
}
