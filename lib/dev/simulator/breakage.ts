/**
 * What can be broken, as it is posted to `/simulator/faults`: one table of types and their fields, and nothing else is
 * taken.
 *
 * `path` is a part of the path with its query, so that `watch=1` hits watches; `name` the beginning of an object's name or
 * of `namespace/name`; `times` how often it hits, without it until it is healed.
 */
import { isRecord } from "#lib/dev/simulator/store/object.ts";

interface Field<T> {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
  /** Whether it may be left out. It stands for the type of its values, too. */
  readonly optional?: true;
  readonly value?: T;
}

const HOUR = 3_600_000;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const whole = (least: number, most: number): Field<number> => ({
  fits: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  words: `a whole number from ${least} to ${most}`,
});
const oneOf = <T extends string>(...choices: T[]): Field<T> => ({
  fits: (value) => choices.includes(value as T),
  words: `one of ${choices.join(", ")}`,
});
const TEXT: Field<string> = { fits: isText, words: "a text that is not empty" };
const ANY_TEXT: Field<string> = { fits: (value) => typeof value === "string", words: "a text" };
const FLAG: Field<boolean> = { fits: (value) => typeof value === "boolean", words: "true or false" };
const TEXTS: Field<readonly string[]> = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  words: "a list of texts",
};
const HEADERS: Field<Readonly<Record<string, string>>> = {
  fits: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) =>
      /^[A-Za-z0-9-]+$/.test(name) && typeof text === "string" && !/[^\t\x20-\x7e]/.test(text)
    ),
  words: "a map of header names to texts",
};
const SECONDS: Field<number | string> = {
  fits: (value) => Number.isInteger(value) || (isText(value) && !/[^\x20-\x7e]/.test(value)),
  words: "a whole number, or the header's text",
};
const maybe = <T>(field: Field<T>) => ({ ...field, optional: true } as const);

const MATCHING = { method: maybe(TEXT), path: maybe(TEXT), times: maybe(whole(1, 1_000_000)) };
/**
 * Where an exchange is broken: when the request was read, when what it asks for was done and nothing is answered yet, after
 * the headers, or in the middle of the body.
 */
const PLACE = oneOf("asked", "done", "headers", "body");
/** What becomes of the watches that are open: `expired` and `error` are events, `half` and `endless` are lines. */
const DROP = oneOf("cut", "end", "expired", "error", "garbage", "half", "endless");
const BROKEN = { at: maybe(PLACE), chunked: maybe(FLAG), ...MATCHING };
const NAME = { name: TEXT };
const TOLD = { name: TEXT, message: TEXT };

const TABLE = {
  latency: { ms: whole(0, HOUR), ...MATCHING },
  /** Instead of doing it; `body` as it stands, whatever that is, else a Status as the API server has it. */
  answer: {
    status: whole(200, 599),
    retryAfter: maybe(SECONDS),
    headers: maybe(HEADERS),
    body: maybe(ANY_TEXT),
    ...MATCHING,
  },
  /** The connection is closed. */
  cut: BROKEN,
  /** Nothing more is said, and the connection stays. */
  hang: BROKEN,
  /** The body comes in pieces of so many bytes (1), with so many milliseconds before each. */
  trickle: { ms: whole(0, HOUR), bytes: maybe(whole(1, 1 << 20)), ...MATCHING },
  "drop-watches": { kind: maybe(TEXT), how: maybe(DROP) },
  /** Watches say nothing, not even their end: those that are open for good, new ones until it is healed. */
  "silent-watches": { kind: maybe(TEXT) },
  /** The history is forgotten: who watches from an earlier version is told so. */
  compact: {},
  "stuck-namespace": NAME,
  "failing-job": { ...NAME, log: maybe(TEXTS), exitCode: maybe(whole(1, 255)) },
  /** Runs on and never ends, and its deadline passes soon. */
  "hanging-job": { ...NAME, log: maybe(TEXTS) },
  /** Containers of pods of this name end as soon as they have begun, again and again. */
  crash: { ...NAME, log: maybe(TEXTS), exitCode: maybe(whole(1, 255)) },
  /** `message` is what the probe says. */
  unready: { ...NAME, message: maybe(TEXT) },
  /** The site's pages answer with this status. The name is that of the pod of its web server. */
  "failing-page": { ...NAME, status: whole(400, 599) },
  /** `message` is what the registry says of it, in place of that there is no such image. */
  "missing-image": { image: TEXT, message: maybe(TEXT) },
  /** No node takes the pod, in the scheduler's words. */
  "no-node": TOLD,
  /** The pod gets no network: `message` is what the plugin on its node says. */
  "no-sandbox": TOLD,
  /** Nothing more is heard of the node: no pod on it begins, ends or goes, and none is placed there. */
  "lost-node": NAME,
  /** The driver makes no volume for the claim. */
  "no-volume": TOLD,
  /** The driver has not finished the claim's volume yet. */
  "slow-volume": NAME,
  /** The driver does not make the claim's volume larger, in its own words. */
  "no-growth": TOLD,
  /** The file system of the claim grows when a pod starts on it, not while one is at it. */
  "offline-growth": NAME,
  /** The driver cuts no snapshot. */
  "no-snapshot": TOLD,
  /** Admission refuses new objects of this name, and of this kind if one is given. */
  deny: { ...TOLD, kind: maybe(TEXT) },
  /** The certificate is not issued: its challenge stays pending for this reason, or the authority has decided. */
  uncertified: { ...TOLD, final: maybe(FLAG) },
  oom: NAME,
  /** Takes a permission away: a verb (`*` for all) on `pods`, `pods/log`, `jobs.batch`. */
  forbid: { verb: TEXT, resource: TEXT },
  /** No network policy has any effect. */
  "open-network": {},
} satisfies Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;
type Values<F> =
  & { readonly [N in keyof F as F[N] extends { optional: true } ? never : N]: ValueOf<F[N]> }
  & { readonly [N in keyof F as F[N] extends { optional: true } ? N : never]?: ValueOf<F[N]> };

export type Place = ValueOf<typeof PLACE>;
export type Drop = ValueOf<typeof DROP>;
export type Matching = Values<typeof MATCHING>;
export type Breakage = {
  [T in keyof typeof TABLE]: { readonly type: T } & Values<(typeof TABLE)[T]>;
}[keyof typeof TABLE];

/** What a person posted, or in words what is wrong with it. */
export function readBreakage(value: unknown): Breakage | string {
  if (!isRecord(value)) return "A fault is a JSON object";
  const known: Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>> = TABLE;
  const fields = Object.hasOwn(TABLE, String(value.type)) ? known[value.type] : undefined;
  if (!fields) return `type must be one of ${Object.keys(TABLE).join(", ")}`;
  for (const name of Object.keys(value)) {
    if (name !== "type" && !Object.hasOwn(fields, name)) return `A ${value.type} has no field ${name}`;
  }
  for (const [name, { fits, words, optional }] of Object.entries(fields)) {
    if (value[name] === undefined ? !optional : !fits(value[name])) return `${name} must be ${words}`;
  }
  return value as unknown as Breakage;
}
