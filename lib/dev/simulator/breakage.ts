/**
 * What can be broken, as it is posted to `/simulator/faults`: one table of types and their fields, and nothing else is
 * taken.
 *
 * `path` is a part of the path with its query, so that `watch=1` hits watches; `name` the beginning of an object's name or
 * of `namespace/name`; `times` how often it hits, without it until it is healed.
 */
import { isRecord } from "#lib/dev/simulator/object.ts";

export interface Matching {
  readonly method?: string;
  readonly path?: string;
  readonly times?: number;
}

/**
 * Where an exchange is broken: when the request was read, when what it asks for was done and nothing is answered yet, after
 * the headers, or in the middle of the body.
 */
export type Place = "asked" | "done" | "headers" | "body";
const PLACES: readonly Place[] = ["asked", "done", "headers", "body"];

/** What becomes of the watches that are open: `expired` and `error` are events, `half` and `endless` are lines. */
export type Drop = "cut" | "end" | "expired" | "error" | "garbage" | "half" | "endless";
const DROPS: readonly Drop[] = ["cut", "end", "expired", "error", "garbage", "half", "endless"];

export type Breakage =
  | { readonly type: "latency"; readonly ms: number } & Matching
  /** Instead of doing it; `body` as it stands, whatever that is, else a Status as the API server has it. */
  | {
    readonly type: "answer";
    readonly status: number;
    readonly retryAfter?: number | string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } & Matching
  /** The connection is closed. */
  | { readonly type: "cut"; readonly at?: Place; readonly chunked?: boolean } & Matching
  /** Nothing more is said, and the connection stays. */
  | { readonly type: "hang"; readonly at?: Place; readonly chunked?: boolean } & Matching
  /** The body comes in pieces of so many bytes (1), with so many milliseconds before each. */
  | { readonly type: "trickle"; readonly ms: number; readonly bytes?: number } & Matching
  | { readonly type: "drop-watches"; readonly kind?: string; readonly how?: Drop }
  /** Watches say nothing, not even their end: those that are open for good, new ones until it is healed. */
  | { readonly type: "silent-watches"; readonly kind?: string }
  /** The history is forgotten: who watches from an earlier version is told so. */
  | { readonly type: "compact" }
  | { readonly type: "stuck-namespace"; readonly name: string }
  | {
    readonly type: "failing-job";
    readonly name: string;
    readonly log?: readonly string[];
    readonly exitCode?: number;
  }
  /** Runs on and never ends, and its deadline passes soon. */
  | { readonly type: "hanging-job"; readonly name: string; readonly log?: readonly string[] }
  /** Containers of pods of this name end as soon as they have begun, again and again. */
  | { readonly type: "crash"; readonly name: string; readonly log?: readonly string[]; readonly exitCode?: number }
  /** `message` is what the probe says. */
  | { readonly type: "unready"; readonly name: string; readonly message?: string }
  /** `message` is what the registry says of it, in place of that there is no such image. */
  | { readonly type: "missing-image"; readonly image: string; readonly message?: string }
  /** No node takes the pod, in the scheduler's words. */
  | { readonly type: "no-node"; readonly name: string; readonly message: string }
  /** The pod gets no network: `message` is what the plugin on its node says. */
  | { readonly type: "no-sandbox"; readonly name: string; readonly message: string }
  /** Nothing more is heard of the node: no pod on it begins, ends or goes, and none is placed there. */
  | { readonly type: "lost-node"; readonly name: string }
  /** The driver makes no volume for the claim. */
  | { readonly type: "no-volume"; readonly name: string; readonly message: string }
  /** The driver does not make the claim's volume larger, in its own words. */
  | { readonly type: "no-growth"; readonly name: string; readonly message: string }
  /** The file system of the claim grows when a pod starts on it, not while one is at it. */
  | { readonly type: "offline-growth"; readonly name: string }
  /** The driver cuts no snapshot. */
  | { readonly type: "no-snapshot"; readonly name: string; readonly message: string }
  /** Admission refuses new objects of this name, and of this kind if one is given. */
  | { readonly type: "deny"; readonly name: string; readonly kind?: string; readonly message: string }
  /** The certificate is not issued: its challenge stays pending for this reason, or the authority has decided. */
  | { readonly type: "uncertified"; readonly name: string; readonly message: string; readonly final?: boolean }
  | { readonly type: "oom"; readonly name: string }
  /** Takes a permission away: a verb (`*` for all) on `pods`, `pods/log`, `jobs.batch`. */
  | { readonly type: "forbid"; readonly verb: string; readonly resource: string }
  /** No network policy has any effect. */
  | { readonly type: "open-network" };

interface Field {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
  readonly required?: true;
}

const HOUR = 3_600_000;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const whole = (least: number, most: number): Field => ({
  fits: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  words: `a whole number from ${least} to ${most}`,
});
const oneOf = (choices: readonly string[]): Field => ({
  fits: (value) => choices.includes(value as string),
  words: `one of ${choices.join(", ")}`,
});
const TEXT: Field = { fits: isText, words: "a text that is not empty" };
const ANY_TEXT: Field = { fits: (value) => typeof value === "string", words: "a text" };
const FLAG: Field = { fits: (value) => typeof value === "boolean", words: "true or false" };
const TEXTS: Field = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  words: "a list of texts",
};
const HEADERS: Field = {
  fits: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) =>
      /^[A-Za-z0-9-]+$/.test(name) && typeof text === "string" && !/[^\t\x20-\x7e]/.test(text)
    ),
  words: "a map of header names to texts",
};
const SECONDS: Field = {
  fits: (value) => Number.isInteger(value) || (isText(value) && !/[^\x20-\x7e]/.test(value)),
  words: "a whole number, or the header's text",
};
const needed = (field: Field): Field => ({ ...field, required: true });

const MATCHING = { method: TEXT, path: TEXT, times: whole(1, 1_000_000) };
const BROKEN = { at: oneOf(PLACES), chunked: FLAG, ...MATCHING };
const NAME = { name: needed(TEXT) };

const TABLE: Readonly<Record<Breakage["type"], Readonly<Record<string, Field>>>> = {
  latency: { ms: needed(whole(0, HOUR)), ...MATCHING },
  answer: { status: needed(whole(200, 599)), retryAfter: SECONDS, headers: HEADERS, body: ANY_TEXT, ...MATCHING },
  cut: BROKEN,
  hang: BROKEN,
  trickle: { ms: needed(whole(0, HOUR)), bytes: whole(1, 1 << 20), ...MATCHING },
  "drop-watches": { kind: TEXT, how: oneOf(DROPS) },
  "silent-watches": { kind: TEXT },
  compact: {},
  "stuck-namespace": NAME,
  "failing-job": { ...NAME, log: TEXTS, exitCode: whole(1, 255) },
  "hanging-job": { ...NAME, log: TEXTS },
  crash: { ...NAME, log: TEXTS, exitCode: whole(1, 255) },
  unready: { ...NAME, message: TEXT },
  "missing-image": { image: needed(TEXT), message: TEXT },
  "no-node": { ...NAME, message: needed(TEXT) },
  "no-sandbox": { ...NAME, message: needed(TEXT) },
  "lost-node": NAME,
  "no-volume": { ...NAME, message: needed(TEXT) },
  "no-growth": { ...NAME, message: needed(TEXT) },
  "offline-growth": NAME,
  "no-snapshot": { ...NAME, message: needed(TEXT) },
  deny: { ...NAME, kind: TEXT, message: needed(TEXT) },
  uncertified: { ...NAME, message: needed(TEXT), final: FLAG },
  oom: NAME,
  forbid: { verb: needed(TEXT), resource: needed(TEXT) },
  "open-network": {},
};

/** What a person posted, or in words what is wrong with it. */
export function readBreakage(value: unknown): Breakage | string {
  if (!isRecord(value)) return "A fault is a JSON object";
  const fields = Object.hasOwn(TABLE, String(value.type)) ? TABLE[value.type as Breakage["type"]] : undefined;
  if (!fields) return `type must be one of ${Object.keys(TABLE).join(", ")}`;
  for (const name of Object.keys(value)) {
    if (name !== "type" && !Object.hasOwn(fields, name)) return `A ${value.type} has no field ${name}`;
  }
  for (const [name, { fits, words, required }] of Object.entries(fields)) {
    if (value[name] === undefined ? required : !fits(value[name])) return `${name} must be ${words}`;
  }
  return value as unknown as Breakage;
}
