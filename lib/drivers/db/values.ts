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
  bytes: { to: 17, from: [17], serialize: asHex, parse: asBytes },
  booleans: arrayType(1000, (text) => text === "t"),
  integers: arrayType(1007, Number),
  smallIntegers: arrayType(1005, Number),
  bigIntegers: arrayType(1016, identity), // parsed as text, like a single bigint
  texts: arrayType(1009, identity),
  names: arrayType(1003, identity),
  varchars: arrayType(1015, identity),
  byteStrings: arrayType(1001, asBytes, asHex),
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

/** A time from the database. Keeps its ISO 8601 text, because most times are only sent to clients. */
class DatabaseTime extends Date {
  readonly #text: string;
  constructor(ms: number, text: string) {
    super(ms);
    this.#text = text;
  }
  override toISOString(): string {
    return this.#text;
  }
}
Object.defineProperty(DatabaseTime.prototype, "constructor", { value: Date }); // equal to a Date with the same time

const UTC_TIME = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/;

/** Parses a timestamp such as `2026-11-21 12:00:00.123+00`. Omits digits after the milliseconds. */
function asDate(text: string): Date {
  if (!UTC_TIME.test(text)) return parseUnusualDate(text);
  const fraction = text.length < 26 ? `${text.slice(20, -3)}000`.slice(0, 3) : text.slice(20, 23);
  const ms = Date.UTC(
    100 * readTwoDigits(text, 0) + readTwoDigits(text, 2),
    readTwoDigits(text, 5) - 1,
    readTwoDigits(text, 8),
    readTwoDigits(text, 11),
    readTwoDigits(text, 14),
    readTwoDigits(text, 17),
    Number(fraction),
  );
  return new DatabaseTime(ms, `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`);
}

function readTwoDigits(text: string, at: number): number {
  return 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 11 * "0".charCodeAt(0);
}

/** Parses a date without a time, a time without a zone, and a time before the year 1000. */
function parseUnusualDate(text: string): Date {
  return new Date(/^\d{4}-/.test(text) && text.endsWith("+00") ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text);
}

/** Encodes a value as JSON. A string must already be JSON text, as the column types require. */
function asJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function asHex(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`;
}

function asBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), "hex"));
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
