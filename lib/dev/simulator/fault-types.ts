/**
 * Defines the faults that can be posted to `/simulator/faults`. One table lists their types and fields; anything else
 * is rejected.
 *
 * `path` matches a part of the path and query, so `watch=1` matches watches. `name` matches the start of an object's
 * name or of `namespace/name`. `times` limits how often the fault applies. Without it, the fault applies until it is
 * removed.
 */
import { isRecord } from "#lib/dev/simulator/store/object.ts";

interface Field<T> {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
  /** Whether the field may be omitted. The type of this property also marks the value's type as optional. */
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
 * The point at which an exchange fails: after the request was read (`asked`), after it was performed but before the
 * response (`done`), after the headers, or in the middle of the body.
 */
const PLACE = oneOf("asked", "done", "headers", "body");
/** How open watches end. `expired` and `error` send an ERROR event; `half` and `endless` send a malformed line. */
const DROP = oneOf("cut", "end", "expired", "error", "garbage", "half", "endless");
const BROKEN = { at: maybe(PLACE), chunked: maybe(FLAG), ...MATCHING };
const NAME = { name: TEXT };
const TOLD = { name: TEXT, message: TEXT };

const TABLE = {
  latency: { ms: whole(0, HOUR), ...MATCHING },
  /** Responds without performing the request. The response is `body` unchanged, or a Status like the API server's. */
  answer: {
    status: whole(200, 599),
    retryAfter: maybe(SECONDS),
    headers: maybe(HEADERS),
    body: maybe(ANY_TEXT),
    ...MATCHING,
  },
  /** Closes the connection. */
  cut: BROKEN,
  /** Sends nothing more and leaves the connection open. */
  hang: BROKEN,
  /** Sends the body in pieces of `bytes` bytes (default 1), with a pause of `ms` milliseconds before each. */
  trickle: { ms: whole(0, HOUR), bytes: maybe(whole(1, 1 << 20)), ...MATCHING },
  "drop-watches": { kind: maybe(TEXT), how: maybe(DROP) },
  /**
   * Silences watches: they send no event and do not end. Open watches stay silent forever; new ones are silent until
   * the fault is removed.
   */
  "silent-watches": { kind: maybe(TEXT) },
  /** Forgets the history. A watch from an earlier version gets a 410 error. */
  compact: {},
  "stuck-namespace": NAME,
  "failing-job": { ...NAME, log: maybe(TEXTS), exitCode: maybe(whole(1, 255)) },
  /** The Job's program never ends. The Job's deadline passes early. */
  "hanging-job": { ...NAME, log: maybe(TEXTS) },
  /** Containers of matching pods exit right after each start. */
  crash: { ...NAME, log: maybe(TEXTS), exitCode: maybe(whole(1, 255)) },
  /** Keeps matching pods and snapshots from becoming ready. `message` is the readiness probe's error. */
  unready: { ...NAME, message: maybe(TEXT) },
  /** The site's pages respond with this status. `name` matches the pod of its web server. */
  "failing-page": { ...NAME, status: whole(400, 599) },
  /** The image cannot be pulled. `message` replaces the registry's default error. */
  "missing-image": { image: TEXT, message: maybe(TEXT) },
  /** The pod cannot be scheduled. `message` is the scheduler's error. */
  "no-node": TOLD,
  /** The pod sandbox cannot be created. `message` is the error of the node's network plugin. */
  "no-sandbox": TOLD,
  /** The node stops reporting. Its pods no longer start, stop or disappear, and no new pods are scheduled on it. */
  "lost-node": NAME,
  /** The CSI driver fails to provision a volume for the PVC. */
  "no-volume": TOLD,
  /** The CSI driver does not finish provisioning the PVC's volume. */
  "slow-volume": NAME,
  /** The CSI driver fails to expand the PVC's volume. `message` is its error. */
  "no-growth": TOLD,
  /** The PVC's file system is expanded only when a new pod mounts it, not while a pod is using it. */
  "offline-growth": NAME,
  /** The CSI driver fails to take a snapshot. */
  "no-snapshot": TOLD,
  /** Admission rejects new objects with this name. If `kind` is set, it rejects only objects of that kind. */
  deny: { ...TOLD, kind: maybe(TEXT) },
  /** The certificate is not issued. Its challenge stays pending with this message or, if `final`, fails. */
  uncertified: { ...TOLD, final: maybe(FLAG) },
  oom: NAME,
  /** Removes a permission: a verb (`*` for all) on a resource such as `pods`, `pods/log` or `jobs.batch`. */
  forbid: { verb: TEXT, resource: TEXT },
  /** Disables all network policies. */
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

/** Returns the posted fault, or a message that explains why it is invalid. */
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
