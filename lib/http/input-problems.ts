/** Describes validation errors in one sentence that names each invalid field and says what its value must be. */
import * as v from "valibot";

const MAX_SHOWN = 10; // problems per message; a longer list would be hard to read

/** Returns the first validation error for each field, keyed by field path. */
export function collectInputProblems(
  schema: v.GenericSchema,
  issues: readonly v.BaseIssue<unknown>[],
): Map<string, string> {
  const problems = new Map<string, string>();
  for (const issue of issues) {
    const path = v.getDotPath(issue) ?? "the input";
    if (!problems.has(path)) problems.set(path, describe(schema, issue));
  }
  return problems;
}

/** Returns the problems as a sentence, such as `size must be one of small, medium, large; ids.3 must be text`. */
export function describeInputProblems(problems: ReadonlyMap<string, string>): string {
  const sentences = [...problems].map(([path, problem]) => `${path} ${problem}`);
  const rest = sentences.length - MAX_SHOWN;
  return sentences.slice(0, MAX_SHOWN).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function describe(schema: v.GenericSchema, issue: v.BaseIssue<unknown>): string {
  if (isMissing(issue)) return describeAbsent(schema, issue);
  // Replaces only messages that start with "Invalid ", which come from valibot. Our own messages need no change.
  if (!issue.message.startsWith("Invalid ")) return issue.message;
  return issue.expected === null ? "is not valid" : mustBe(issue.expected);
}

/** Returns whether the field is missing, which valibot reports as an error in the object that should contain it. */
function isMissing(issue: v.BaseIssue<unknown>): boolean {
  return issue.kind === "schema" && issue.received === "undefined" && issue.message.startsWith("Invalid key");
}

/** Describes a missing field, with the message from the field's schema if it has one. */
function describeAbsent(schema: v.GenericSchema, issue: v.BaseIssue<unknown>): string {
  const field = issue.path?.reduce<unknown>((at, { key }) => entryOf(at, key), schema) as v.GenericSchema | undefined;
  const [own] = field ? v.safeParse(field, undefined).issues ?? [] : [];
  return own && !isMissing(own) && field ? describe(field, own) : "is missing";
}

function entryOf(schema: unknown, key: unknown): unknown {
  const { entries, item } = (schema ?? {}) as { entries?: Record<string, unknown>; item?: unknown };
  return entries && Object.hasOwn(entries, String(key)) ? entries[String(key)] : item;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  Array: "a list",
  Object: "an object",
};

/** Converts valibot's `("small" | "medium")` to `must be one of small, medium`. */
function mustBe(expected: string): string {
  const choices = expected.replace(/^\(|\)$/g, "").split(" | ").map((choice) => TYPE_WORDS[choice] ?? unquote(choice));
  return choices.length > 1 ? `must be one of ${choices.join(", ")}` : `must be ${choices[0]}`;
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}
