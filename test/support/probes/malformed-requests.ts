/** Builds requests with malformed bodies or headers from a valid body. */

export interface MalformedRequest {
  readonly name: string;
  /** The status that the response must have. If absent, the endpoint may choose. */
  readonly status?: number;
  /** Whether the case applies only to endpoints that support the Idempotency-Key header. */
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
  body("JSON that ends too early", 400, (good) => good.slice(0, -1)),
  body("JSON with something after it", 400, (good) => `${good} x`),
  body("two objects", 400, (good) => good + good),
  body("a byte order mark of UTF-16", 400, (good) => bytes(0xff, 0xfe, good)),
  body("UTF-16", 400, (good) => bytes(...[...good].flatMap((letter) => [letter.charCodeAt(0) & 255, 0]))),
  body("a byte that is no UTF-8", 400, () => bytes('{"slug":"a', 0xff, '"}')),
  body("a surrogate in UTF-8", 400, () => bytes('{"slug":"a', 0xed, 0xa0, 0x80, '"}')),
  body("an overlong slash", 400, () => bytes('{"slug":"a', 0xc0, 0xaf, '"}')),
  body("a NUL after it", 400, (good) => bytes(good, 0)),
  body("blanks alone", 400, () => " \n "),
  body("a list", 400, () => "[]"),
  body("text", 400, () => '"text"'),
  body("null", 400, () => "null"),
  body("a number", 400, () => "7"),
  body("100,000 brackets", 400, () => "[".repeat(100_000) + "]".repeat(100_000)),
  body("100,000 brackets that nobody closes", 400, () => "[".repeat(100_000)),
  body("10 MB of text", 413, () => `{"slug":"${"x".repeat(10_000_000)}"}`),
  body("JavaScript", 400, () => "{slug: 'a'}"),
  body("NaN", 400, () => '{"slug": NaN}'),
  // Cases that an endpoint may accept or reject, as long as it does not fail.
  { name: "a byte order mark", make: (good) => ({ headers: JSON_TYPE, body: bytes(0xef, 0xbb, 0xbf, good) }) },
  {
    name: "a number of 50,000 digits in each field",
    make: (good) => ({ headers: JSON_TYPE, body: good.replace(/:("[^"]*"|\[[^\]]*\])/g, `:${"9".repeat(50_000)}`) }),
  },
  { name: "each key twice", make: (good) => ({ headers: JSON_TYPE, body: good.replace("}", `,${good.slice(1)}`) }) },
  {
    name: "fields that are a prototype's",
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
    name: "a field that nobody declared, 40,000 deep",
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
