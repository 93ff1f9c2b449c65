/** Writes a schema as lines: one for each field and each value, with its rules.
 *
 *     Spoke .operation.state string?              optional
 *     Spoke .operation.state = "queued"           one of its values
 *     NewSpoke .slug string pattern="^[a-z0-9]+$"
 *     Spoke .backups[] object                     an item of the list; `{*}` is a value of a map
 *     Cost <available=true> object                one of several forms, named by its distinguishing constants
 *
 * A named schema is referenced: `Spoke .operation Operation|null`. Only the keywords that Wheelwright's schemas use are
 * supported. Any other keyword throws, so that the surface never omits a promise silently. */
import type { JsonSchema } from "#lib/reference/json-schema.ts";

const RULES = ["minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "minimum", "maximum"];
const INSIDE = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "properties", "required", "items"];
const WORDS = ["description", "title", "default", "example", "examples"];
const KNOWN = [...RULES, ...INSIDE, ...WORDS, "additionalProperties"];

interface Described {
  /** The start of each line: the schema's name, or the endpoint and the place in it. */
  readonly of: string;
  readonly path?: string;
  readonly optional?: boolean;
}

export function renderSchemaLines(schema: JsonSchema, { of, path = "", optional = false }: Described): string[] {
  const at = path === "" ? of : `${of} ${path}`;
  const options = optionsOf(schema, at), types = [...new Set(options.map(typeOf))];
  const forms = options.filter(({ type }) => type === "object"), lists = options.filter(({ type }) => type === "array");
  const values = options.flatMap(valuesOf);
  const own = forms.length > 1 ? options.filter((one) => !forms.includes(one)) : options;
  const all = { ...rulesOf(own, at), ...(values.length === 0 && ruleOf([schema, ...options])) };
  const names = forms.map(constantsOf), areTold = new Set(names).size === names.length && !names.includes("");
  return [
    `${at} ${types.join("|")}${optional ? "?" : ""}${rulesText(all)}`,
    ...values.map((value) => `${at} = ${JSON.stringify(value)}`),
    ...lists.flatMap(({ items = {} }) => renderSchemaLines(items as JsonSchema, { of, path: `${path}[]` })),
    ...forms.flatMap((form, i) => {
      if (forms.length === 1) return fieldLines(form, of, path);
      const inner = `${path}<${areTold ? names[i] : i + 1}>`;
      return [`${of} ${inner} object${rulesText(rulesOf([form], at))}`, ...fieldLines(form, of, inner)];
    }),
  ];
}

/** Returns the alternatives of a schema, each of one type. Nested alternatives are flattened. */
function optionsOf(schema: JsonSchema, at: string): readonly JsonSchema[] {
  if (typeof schema !== "object") throw new Error(`The surface format does not support ${schema} at ${at}`);
  const { anyOf, oneOf, ...own } = schema, keys = Object.keys(own).filter((key) => !WORDS.includes(key));
  const isSupported = (key: string) => KNOWN.includes(key) || key === "propertyNames" && isText(own[key] as JsonSchema);
  const unknown = keys.find((key) => !isSupported(key));
  if (unknown) throw new Error(`The surface format does not support ${unknown} at ${at}`);
  const options = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if ((options || own.$ref) && keys.length > (own.$ref ? 1 : 0) || anyOf && oneOf) {
    throw new Error(`The surface format does not support keywords next to the options at ${at}`);
  }
  if (options) return options.flatMap((option) => optionsOf(option, at));
  const types = own.type ?? [...new Set(valuesOf(own).map((value) => value === null ? "null" : typeof value))];
  return Array.isArray(types) && types.length > 0 ? types.map((type) => ({ ...own, type })) : [own];
}

function isText(schema: JsonSchema): boolean {
  return schema.type === "string" && Object.keys(schema).length === 1;
}

function typeOf({ $ref, type = "any" }: JsonSchema): string {
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : type as string;
}

function valuesOf({ const: only, enum: choices, type }: JsonSchema): readonly unknown[] {
  const values = only === undefined ? choices as readonly unknown[] ?? [] : [only];
  const requiredType = type === "integer" ? "number" : type;
  return type === undefined
    ? values
    : values.filter((value) => requiredType === (value === null ? "null" : typeof value));
}

/** Returns the rules for text, numbers and lists. Throws for two alternatives of one type, because the rules would be
 * ambiguous. */
function rulesOf(options: readonly JsonSchema[], at: string): JsonSchema {
  const kinds = options.map((one) => typeOf(one).replace("integer", "number"));
  const isOpen = options.map((one) => valuesOf(one).length === 0);
  const twice = kinds.some((kind, i) => kinds.indexOf(kind) < i && (isOpen[i] || isOpen[kinds.indexOf(kind)]));
  if (twice) throw new Error(`The surface format does not support two options of one type at ${at}`);
  return Object.assign(
    {},
    ...options.map((one) => Object.fromEntries(RULES.filter((rule) => rule in one).map((rule) => [rule, one[rule]]))),
    ...options.map(({ additionalProperties }) => additionalProperties === false ? { closed: true } : {}),
  );
}

/** Returns the rule in words. JSON Schema does not contain the program's own checks, but their descriptions all start
 * with "must be". */
function ruleOf(schemas: readonly JsonSchema[]): JsonSchema {
  const ruleText = schemas.map(({ description }) => /\bmust be .*/s.exec(String(description))?.[0]).find(Boolean);
  return ruleText === undefined ? {} : { says: ruleText };
}

function rulesText(rules: JsonSchema): string {
  return Object.entries(rules).map(([rule, value]) => ` ${rule}=${JSON.stringify(value)}`).join("");
}

function fieldLines({ properties = {}, required = [], additionalProperties }: JsonSchema, of: string, path: string) {
  const others = additionalProperties === true ? {} : additionalProperties as JsonSchema | false | undefined;
  return [
    ...Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, field]) => {
      if (/[\s.[\]{}<>]/.test(name)) throw new Error(`The surface cannot write the name ${name} in ${of}`);
      return renderSchemaLines(field, {
        of,
        path: `${path}.${name}`,
        optional: !(required as string[]).includes(name),
      });
    }),
    ...(others ? renderSchemaLines(others, { of, path: `${path}{*}` }) : []),
  ];
}

function constantsOf({ properties = {} }: JsonSchema): string {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).filter(([, field]) => "const" in field)
    .map(([name, field]) => `${name}=${field.const}`).join(",").replace(/[\s<>]/g, "_");
}
