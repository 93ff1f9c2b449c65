/** Checks an endpoint's parameters and rejects unknown parameters. Also rejects parameters that only the real Stripe
 * supports: if they were ignored, a test could pass although the same request fails at Stripe. */
import type { Json } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError } from "#test/support/provider/api-error.ts";

export type ParamRule =
  /** A non-empty text. */
  | "text"
  /** A text, or an empty text (read as null), which removes the field. */
  | "text or unset"
  | "integer"
  | "natural"
  | "time"
  | "boolean"
  /** Up to 50 texts, keyed by name. An empty text removes its entry. An empty value (read as null) removes all. */
  | "metadata"
  /** A time in seconds, or comparisons such as `created[gt]`. */
  | "range"
  | { readonly any: readonly string[] }
  | { readonly list: ParamRule; readonly most?: number }
  | { readonly of: ParamRules };

/** The rules for parameters, keyed by name. An asterisk after a name marks a required parameter. */
export type ParamRules = { readonly [name: string]: ParamRule };

/** The parameters of every endpoint that returns a list. */
export const PAGE_PARAMS: ParamRules = {
  limit: "natural",
  starting_after: "text",
  ending_before: "text",
  created: "range",
};

/** Returns the parsed parameter values. Throws a ProviderError if a parameter is unknown or invalid. */
export function checkParams(rules: ParamRules, values: Record<string, Json>): Record<string, Json> {
  return read({ of: { ...rules, expand: { list: "text" } } }, values, "");
}

function read(rule: ParamRule, value: Json, at: string): Json {
  if (typeof rule === "object" && "of" in rule) return readMap(rule.of, value, at);
  if (typeof rule === "object" && "list" in rule) {
    if (value === "") return [];
    if (!Array.isArray(value)) throw invalidParameter(at, `Invalid array`);
    if (value.length > (rule.most ?? 100)) {
      throw invalidParameter(at, `Array can have at most ${rule.most} elements: ${value.length} given`);
    }
    return value.map((each, i) => read(rule.list, each, `${at}[${i}]`));
  }
  if (rule === "metadata") return readMetadata(value, at);
  if (rule === "range") {
    return typeof value === "string" ? read("time", value, at) : readMap(RANGE, value, at);
  }
  if (typeof value !== "string") throw invalidParameter(at, `Invalid string: ${JSON.stringify(value)}`);
  if (rule === "text or unset" && value === "") return null;
  if (value === "") {
    const message =
      `You passed an empty string for '${at}'. We assume empty values are an attempt to unset a parameter; ` +
      `however '${at}' cannot be unset`;
    throw invalidParameter(at, message, "parameter_invalid_empty");
  }
  if (value.length > 5000) throw invalidParameter(at, "Invalid string: it is too long", "parameter_invalid_string");
  if (typeof rule === "object") {
    if (!rule.any.includes(value)) throw invalidParameter(at, `Invalid ${at}: must be one of ${rule.any.join(", ")}`);
    return value;
  }
  if (rule === "boolean") {
    if (value !== "true" && value !== "false") throw invalidParameter(at, `Invalid boolean: ${value}`);
    return value === "true";
  }
  if (rule === "integer" || rule === "natural" || rule === "time") return readNumber(rule, value, at);
  return value;
}

const RANGE: ParamRules = { gt: "time", gte: "time", lt: "time", lte: "time" };

function readNumber(rule: "integer" | "natural" | "time", value: string, at: string): number {
  if (!/^-?\d{1,15}$/.test(value)) throw invalidParameter(at, `Invalid integer: ${value}`, "parameter_invalid_integer");
  const number = Number(value);
  if (rule === "integer" || number >= 0) return number;
  throw invalidParameter(at, "This value must be greater than or equal to 0", "parameter_invalid_integer");
}

function readMap(rules: ParamRules, value: Json, at: string): Json {
  if (typeof value !== "object" || Array.isArray(value)) throw invalidParameter(at, "Invalid object");
  const bare = (name: string) => name.replace(/\*$/, "");
  const rulesByName = new Map(Object.entries(rules).map(([name, rule]) => [bare(name), rule]));
  const full = (name: string) => at === "" ? name : `${at}[${name}]`;
  const unknown = Object.keys(value).filter((name) => !rulesByName.has(name)).map(full);
  if (unknown.length > 0) {
    const message = `Received unknown parameter${unknown.length > 1 ? "s" : ""}: ${unknown.join(", ")}`;
    throw new ProviderError(400, message, { code: "parameter_unknown", param: unknown[0] });
  }
  const missingName = Object.keys(rules).find((name) => name.endsWith("*") && !(bare(name) in value));
  if (missingName) {
    throw invalidParameter(
      full(bare(missingName)),
      `Missing required param: ${full(bare(missingName))}.`,
      "parameter_missing",
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, read(rulesByName.get(name)!, each, full(name))]),
  );
}

function readMetadata(value: Json, at: string): Json {
  if (value === "") return null;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw invalidParameter(at, "Invalid hash: metadata is a set of names and values");
  }
  for (const [name, each] of Object.entries(value)) {
    if (typeof each !== "string") throw invalidParameter(`${at}[${name}]`, "Metadata values must be strings");
    if (name.length > 40) throw invalidParameter(at, "Metadata keys must be 40 characters or less");
    if (each.length > 500) throw invalidParameter(`${at}[${name}]`, "Metadata values must be 500 characters or less");
  }
  if (Object.keys(value).length > 50) throw invalidParameter(at, "Metadata can have up to 50 keys");
  return value;
}

/** Returns the old metadata with the requested additions, changes and removals. */
export function mergeMetadata(old: Record<string, string>, given: Record<string, string> | null | undefined) {
  if (given === undefined) return old;
  if (given === null) return {};
  return Object.fromEntries(Object.entries({ ...old, ...given }).filter(([, value]) => value !== ""));
}
