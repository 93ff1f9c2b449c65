/**
 * The fields of an HTML form, for the pages that work without script. They go through the same schemas as JSON does.
 * A form is what another site's page can send as well; that it does not is seen to by requireSameOrigin in guards.ts.
 */
import { Fault } from "#lib/base/errors.ts";
import type { Exchange } from "#lib/http/exchange.ts";

/** Each field once, as text. Throws Fault media_type, too_large or invalid. */
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

/** Checked before it is taken apart: URLSearchParams would put another character in place of what is not UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    decodeURIComponent(text);
    return text;
  } catch {
    throw badForm(); // and no cause: it would quote the form, which holds a password
  }
}

function badForm(): Fault {
  return new Fault("invalid", "bad_form", "The form must be percent-encoded UTF-8 with each field once");
}
