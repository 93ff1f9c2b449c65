/**
 * Encodes and decodes values for which postgres.js has unsuitable defaults. The server chooses each parameter's type,
 * so text is sent unchanged and JSON text is not encoded twice. The array types are listed here. Otherwise the driver
 * would look them up with a query whose errors cannot be caught.
 */
import type { PostgresType } from "postgres";

type Types = Record<string, PostgresType>;

export const POSTGRES_TYPES: Types = {
  json: {
    to: 3802,
    from: [114, 3802],
    serialize: asJson,
    parse: (text: string) => JSON.parse(text),
  },
  jsonText: { to: 114, from: [], serialize: asJson, parse: identity },
  boolean: { to: 16, from: [16], serialize: asText, parse: (text: string) => text === "t" },
  stamp: { to: 1184, from: [1082, 1114, 1184], serialize: asText, parse: asDate },
  bytes: {
    to: 17,
    from: [17],
    serialize: (value: Uint8Array | string) =>
      typeof value === "string"
        ? value
        : `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`,
    parse: (text: string) => new Uint8Array(Buffer.from(text.slice(2), "hex")),
  },
  booleans: arrayType(1000, (text) => text === "t"),
  integers: arrayType(1007, Number),
  smallIntegers: arrayType(1005, Number),
  bigIntegers: arrayType(1016, identity), // parsed as text, like a single bigint
  texts: arrayType(1009, identity),
  names: arrayType(1003, identity),
  varchars: arrayType(1015, identity),
  stamps: arrayType(1185, asDate),
  jsons: arrayType(3807, (text) => JSON.parse(text), asJson),
};

function arrayType(
  oid: number,
  parse: (text: string) => unknown,
  write: (item: unknown) => string = asText,
): PostgresType {
  return {
    to: oid,
    from: [oid],
    serialize: (value: unknown) => Array.isArray(value) ? writeArray(value, write) : asText(value),
    parse: (text: string) => parseArray(text, parse),
  };
}

function asText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Parses a timestamp such as `2026-11-21 12:00:00.123+00`, after converting it to ISO 8601 for speed. */
function asDate(text: string): Date {
  return new Date(/^\d{4}-/.test(text) && text.endsWith("+00") ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);
}

/** Encodes a value as JSON. A string must already be JSON text, as the column types require. */
function asJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function identity(text: string): string {
  return text;
}

function writeArray(items: readonly unknown[], write: (item: unknown) => string): string {
  const written = items.map((item) => {
    if (item === null || item === undefined) return "NULL";
    return `"${write(item).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${written.join(",")}}`;
}

/** Parses a one-dimensional array such as `{a,"b \"c\"",NULL}`. */
function parseArray(text: string, parse: (text: string) => unknown): unknown[] {
  if (!text.startsWith("{")) throw new Error(`Cannot parse the PostgreSQL array ${text}`);
  const item = /"((?:[^"\\]|\\.)*)"|([^",{}]+)/gs;
  return [...text.slice(1, -1).matchAll(item)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, "$1"));
    return plain === "NULL" ? null : parse(plain!);
  });
}
