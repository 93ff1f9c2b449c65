/** Builds malformed requests from a valid body, with broken bodies or headers. */

export interface MalformedRequest {
  readonly name: string;
  /** The required status of the response. Absent if the endpoint may accept or reject the request. */
  readonly status?: number;
  /** Whether the request is only for endpoints that support the Idempotency-Key header. */
  readonly idempotent?: boolean;
  make(good: string): { readonly headers: Record<string, string>; readonly body: BodyInit };
}

const JSON_TYPE = { "content-type": "application/json" };
const bytes = (...list: (number | string)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(list.flatMap((one) => typeof one === "number" ? [one] : [...new TextEncoder().encode(one)]));

const body = (name: string, status: number, make: (good: string) => BodyInit): MalformedRequest => ({
  name,
  status,
  make: (good) => ({ headers: JSON_TYPE, body: make(good) }),
});

const typed = (status: number, type: string, more: Record<string, string> = {}): MalformedRequest => ({
  name: `Content-Type: ${type} ${JSON.stringify(more)}`,
  status,
  make: (good) => ({ headers: { "content-type": type, ...more }, body: good }),
});

const keyed = (key: string): MalformedRequest => ({
  name: `Idempotency-Key of ${key.length}: ${key.slice(0, 20)}`,
  status: 400,
  idempotent: true,
  make: (good) => ({ headers: { ...JSON_TYPE, "idempotency-key": key }, body: good }),
});

export const MALFORMED_REQUESTS: readonly MalformedRequest[] = [
  body("truncated JSON", 400, (good) => good.slice(0, -1)),
  body("JSON followed by another character", 400, (good) => `${good} x`),
  body("two objects", 400, (good) => good + good),
  body("a UTF-16 byte order mark", 400, (good) => bytes(0xff, 0xfe, good)),
  body("UTF-16", 400, (good) => bytes(...[...good].flatMap((letter) => [letter.charCodeAt(0) & 255, 0]))),
  body("a byte that is not valid UTF-8", 400, () => bytes('{"slug":"a', 0xff, '"}')),
  body("a surrogate encoded in UTF-8", 400, () => bytes('{"slug":"a', 0xed, 0xa0, 0x80, '"}')),
  body("a slash in overlong UTF-8", 400, () => bytes('{"slug":"a', 0xc0, 0xaf, '"}')),
  body("JSON followed by a NUL", 400, (good) => bytes(good, 0)),
  body("only white space", 400, () => " \n "),
  body("a list", 400, () => "[]"),
  body("text", 400, () => '"text"'),
  body("null", 400, () => "null"),
  body("a number", 400, () => "7"),
  body("100,000 nested lists", 400, () => "[".repeat(100_000) + "]".repeat(100_000)),
  body("100,000 unclosed brackets", 400, () => "[".repeat(100_000)),
  body("10 MB of text", 413, () => `{"slug":"${"x".repeat(10_000_000)}"}`),
  body("JavaScript", 400, () => "{slug: 'a'}"),
  body("NaN", 400, () => '{"slug": NaN}'),
  // Cases that an endpoint may accept or reject, as long as it does not fail.
  { name: "a UTF-8 byte order mark", make: (good) => ({ headers: JSON_TYPE, body: bytes(0xef, 0xbb, 0xbf, good) }) },
  {
    name: "a number with 50,000 digits in each field",
    make: (good) => ({ headers: JSON_TYPE, body: good.replace(/:("[^"]*"|\[[^\]]*\])/g, `:${"9".repeat(50_000)}`) }),
  },
  { name: "each key twice", make: (good) => ({ headers: JSON_TYPE, body: good.replace("}", `,${good.slice(1)}`) }) },
  {
    name: "fields named like prototype keys",
    make: (good) => ({
      headers: JSON_TYPE,
      body: `{"__proto__":{"a":1},"constructor":1,"toString":2,${good.slice(1)}`,
    }),
  },
  {
    name: "100,000 fields",
    make: (good) => ({ headers: JSON_TYPE, body: `{${'"a":1,'.repeat(30_000)}${good.slice(1)}` }),
  },
  {
    name: "an undeclared field, nested 40,000 levels deep",
    make: (good) => ({
      headers: JSON_TYPE,
      body: `{"deep":${"[".repeat(40_000)}${"]".repeat(40_000)},${good.slice(1)}`,
    }),
  },
  typed(415, "text/plain"),
  typed(415, "application/x-www-form-urlencoded"),
  typed(415, "multipart/form-data"),
  typed(415, "application/json, text/plain"),
  typed(415, "application/json5"),
  typed(415, "application/json; charset=utf-16"),
  typed(415, "application/json; charset=latin1"),
  typed(415, ";"),
  typed(415, "application/json", { "content-encoding": "gzip" }),
  typed(415, "application/json", { "content-encoding": "br, identity" }),
  ...["", " ", "two words", "x".repeat(256), "é", "a,\tb", "\u00ff"].map(keyed),
];
