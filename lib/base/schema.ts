/**
 * Defines the schemas that API requests and responses share: text, slugs, email addresses, host names, times and pages.
 * Text must be well-formed Unicode of limited length, without control characters except newline and tab. Such text can
 * be stored, logged and forwarded safely.
 */
import * as v from "valibot";
import { toAsciiHost } from "#lib/base/host.ts";
import { canonicalizeEmail } from "#lib/base/email.ts";
import { isCalendarDay } from "#lib/base/time.ts";

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Returns a schema for text of `minimum` to `maximum` code points, which is how JSON Schema counts characters. */
export function boundedText(minimum: number, maximum: number) {
  const message = `must be text of ${minimum} to ${maximum} characters without control characters`;
  return v.pipe(
    v.string(message),
    v.metadata({ minLength: minimum, maxLength: maximum }), // for the OpenAPI document, which omits the checks below
    v.check((value) => value.isWellFormed() && !CONTROL.test(value), message),
    v.check((value) => {
      const length = [...value.slice(0, maximum * 2 + 1)].length;
      return length >= minimum && length <= maximum;
    }, message),
  );
}

/**
 * Returns a schema for a list of `minimum` to `maximum` items. The length is checked before the items, because a list
 * may be very long. The check is not a valibot pipe, because the OpenAPI document would then not show the items.
 */
export function boundedList<S extends v.GenericSchema>(item: S, minimum: number, maximum: number, message: string) {
  const schema = v.pipe(v.array(item, message), v.minLength(minimum, message), v.maxLength(maximum, message));
  const run: typeof schema["~run"] = (dataset, config) => {
    if (!Array.isArray(dataset.value) || dataset.value.length <= maximum) return schema["~run"](dataset, config);
    return v.pipe(v.array(v.unknown()), v.maxLength(maximum, message))["~run"](dataset, config) as ReturnType<
      typeof run
    >;
  };
  return { ...schema, "~run": run };
}

/** Returns a schema for an object, all of whose fields are optional, that has at least one of them. */
export function withAnyField<E extends v.ObjectEntries>(entries: E) {
  const message = `must have at least one of ${Object.keys(entries).join(", ")}`;
  return v.pipe(v.object(entries, message), v.check((value) => Object.keys(value).length > 0, message));
}

/** Returns a schema for an optional field that treats null as absent. */
export function optionalOrNull<S extends v.GenericSchema>(schema: S) {
  return v.pipe(v.optional(v.nullable(schema)), v.transform((value) => value ?? undefined));
}

/** The error message for an invalid slug, a name used in URLs, host names and namespaces (an RFC 1123 label). */
const SLUG_MESSAGE =
  "must be 1 to 63 lower-case letters, digits or hyphens, neither beginning nor ending with a hyphen";
export const Slug = v.pipe(v.string(SLUG_MESSAGE), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, SLUG_MESSAGE));

const EMAIL_MESSAGE = "must be an email address";
/** An email address. Outputs the address in canonical form (email.ts). */
export const EmailAddress = v.pipe(
  v.string(EMAIL_MESSAGE),
  v.check((value) => value.isWellFormed() && !CONTROL.test(value), EMAIL_MESSAGE),
  v.trim(),
  v.maxLength(254, EMAIL_MESSAGE),
  v.regex(/^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\].]+(?:\.[^\s@<>(),;:"\\[\].]+)*$/u, EMAIL_MESSAGE),
  v.check((value) => canonicalizeEmail(value) !== null, EMAIL_MESSAGE),
  v.transform((value) => canonicalizeEmail(value) ?? value),
);

const HOST_MESSAGE = "must be a host name such as school.example.org";
const HOST_PATTERN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the error message for an invalid host name. Suggests the valid spelling of names like `müller.example`. */
function hostMessage({ input }: { readonly input: unknown }): string {
  const ascii = typeof input === "string" && input.length <= 253 ? toAsciiHost(input) : null;
  if (ascii === null || ascii === input || !HOST_PATTERN.test(ascii)) return HOST_MESSAGE;
  const problem = /^[\x21-\x7e]*$/.test(String(input))
    ? "must be a host name without a dot at its end"
    : "must be a host name in ASCII";
  return `${problem}: write ${ascii}`;
}

/** A host name with at least two labels, converted to lower case. */
export const HostName = v.pipe(
  v.string(HOST_MESSAGE),
  v.regex(/^[\x21-\x7e]*$/, hostMessage), // checked before toLowerCase, which turns the Kelvin sign into a k
  v.toLowerCase(),
  v.maxLength(253, HOST_MESSAGE),
  v.regex(HOST_PATTERN, hostMessage),
  v.check((value) => !/^[\d.]+$/.test(value), HOST_MESSAGE),
);

const TIME_MESSAGE = "must be an ISO 8601 timestamp such as 2026-11-21T12:00:00.000Z";
/** Returns whether both JavaScript and PostgreSQL can store the year. PostgreSQL has no year 0. */
function isStorable(at: Date): boolean {
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999; // false for an invalid date
}

/** A time in a request, in the years 1 to 9999 (UTC). */
export const InputTime = v.pipe(
  v.string(TIME_MESSAGE),
  v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/, TIME_MESSAGE),
  v.check((value) => isCalendarDay(value.slice(0, "2026-11-21".length)), TIME_MESSAGE),
  v.transform((value) => new Date(value)),
  v.check(isStorable, TIME_MESSAGE),
);

/** A time in a response: ISO 8601 in UTC with milliseconds. Dates are converted; strings must have this format. */
export const Timestamp = v.pipe(
  v.union([v.date(), v.string()]),
  v.transform((value) => typeof value === "string" ? value : value.toISOString()),
);
export const NullableTimestamp = v.nullable(Timestamp);

/** Where a page of a list starts: after a given row, or at the newest row from before a given time. */
export interface PageCursor {
  readonly at: Date;
  readonly id?: string | undefined;
}

const BEFORE_MESSAGE = "must be milliseconds since the epoch, an ISO 8601 timestamp or the cursor from a Link header";
/**
 * A query parameter that limits a page to rows before a position: milliseconds since the epoch or an ISO 8601 time,
 * optionally followed by a comma and a row ID.
 */
export const BeforeCursor = v.pipe(
  v.string(BEFORE_MESSAGE),
  v.check((value) => /^(?:[^,]+|[^,]+,\w{1,64})$/.test(value), BEFORE_MESSAGE),
  v.transform((value): Partial<PageCursor> => {
    const [at = "", id] = value.split(",");
    if (/^\d{1,15}$/.test(at)) return { at: new Date(Number(at)), id };
    return v.is(InputTime, at) ? { at: new Date(at), id } : {};
  }),
  v.check(({ at }) => at !== undefined && isStorable(at), BEFORE_MESSAGE),
  v.transform((cursor) => cursor as PageCursor),
);

/** Returns the `before` parameter for the page that follows this row. */
export function formatCursor(at: Date, id: string): string {
  return `${at.toISOString()},${id}`;
}

const NUMBER_MESSAGE = "must be an event number";
/** A query parameter that contains a stream event's number. */
export const EventNumber = v.pipe(v.string(NUMBER_MESSAGE), v.regex(/^\d{1,15}$/, NUMBER_MESSAGE), v.transform(Number));

/** Returns a schema for a query parameter with the page size, from 1 to 100. `usual` is the default. */
export function createPageLimitSchema(usual: number) {
  return v.optional(pageSize(), String(usual));
}

/** An optional page size. If absent, the complete list is returned. */
export const OptionalPageLimit = v.optional(pageSize());

function pageSize() {
  const message = "must be a whole number from 1 to 100";
  return v.pipe(
    v.string(message),
    v.regex(/^\d{1,3}$/, message),
    v.transform(Number),
    v.minValue(1, message),
    v.maxValue(100, message),
  );
}

/** Returns a schema for an optional query parameter that accepts only these values. */
export function createOptionalChoiceSchema<const T extends readonly string[]>(choices: T) {
  return v.optional(createChoiceSchema(choices));
}

export function createChoiceSchema<const T extends readonly string[]>(choices: T) {
  return v.picklist(choices, `must be one of ${choices.join(", ")}`);
}

/** A search term: part of a name or address. */
export const SearchText = v.optional(boundedText(1, 100));

const FLAG_RULE = "must be true or false";
export const Flag = v.boolean(FLAG_RULE);
/** A boolean query parameter; false if absent. */
export const QueryFlag = v.optional(
  v.pipe(
    v.picklist(["true", "false", "1", "0"], FLAG_RULE),
    v.transform((value) => value === "true" || value === "1"),
  ),
  "false",
);
