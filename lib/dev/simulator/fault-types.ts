/**
 * Defines the simulated failures ("faults") that a POST to `/simulator/faults` adds. `path` matches any part of a
 * request's path and query. `name` matches the start of an object's name or of `namespace/name`. A fault applies to the
 * next `times` requests or, without `times`, until it is removed.
 */
import { isRecord } from "#lib/dev/simulator/store/object.ts";

interface Field<T> {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
  /** Whether the field may be omitted. This property's type also makes the field optional in `SimulatorFault`. */
  readonly optional?: true;
  readonly value?: T;
}

const HOUR = 3_600_000;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const wholeNumber = (least: number, most: number): Field<number> => ({
  fits: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  words: `a whole number from ${least} to ${most}`,
});
const oneOf = <T extends string>(...choices: T[]): Field<T> => ({
  fits: (value) => choices.includes(value as T),
  words: `one of ${choices.join(", ")}`,
});
const TEXT: Field<string> = { fits: isText, words: "a non-empty string" };
const ANY_TEXT: Field<string> = { fits: (value) => typeof value === "string", words: "a string" };
const FLAG: Field<boolean> = { fits: (value) => typeof value === "boolean", words: "true or false" };
const TEXTS: Field<readonly string[]> = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  words: "a list of strings",
};
const HEADERS: Field<Readonly<Record<string, string>>> = {
  fits: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, text]) =>
      /^[A-Za-z0-9-]+$/.test(name) && typeof text === "string" && !/[^\t\x20-\x7e]/.test(text)
    ),
  words: "a map of header names to strings",
};
const SECONDS: Field<number | string> = {
  fits: (value) => Number.isInteger(value) || (isText(value) && !/[^\x20-\x7e]/.test(value)),
  words: "a whole number or a string",
};
const optional = <T>(field: Field<T>) => ({ ...field, optional: true } as const);

const REQUEST_FILTER = { method: optional(TEXT), path: optional(TEXT), times: optional(wholeNumber(1, 1_000_000)) };
/**
 * The point at which a connection breaks: after the request was read (`received`), after the request was performed but
 * before a response is sent (`performed`), after the response headers, or in the middle of the response body.
 */
const FAULT_POINT = oneOf("received", "performed", "headers", "body");
/** How a fault ends open watches. `expired` and `error` send an ERROR event, `half` and `endless` a malformed line. */
const DROP = oneOf("cut", "end", "expired", "error", "garbage", "half", "endless");
const CONNECTION_FAULT = { at: optional(FAULT_POINT), chunked: optional(FLAG), ...REQUEST_FILTER };
const NAME = { name: TEXT };
const NAME_AND_MESSAGE = { name: TEXT, message: TEXT };

const FAULT_FIELDS = {
  latency: { ms: wholeNumber(0, HOUR), ...REQUEST_FILTER },
  /** Responds without performing the request. Sends `body` if it is set, otherwise a `Status` like the API server's. */
  answer: {
    status: wholeNumber(200, 599),
    retryAfter: optional(SECONDS),
    headers: optional(HEADERS),
    body: optional(ANY_TEXT),
    ...REQUEST_FILTER,
  },
  /** Closes the connection. */
  cut: CONNECTION_FAULT,
  /** Leaves the connection open but sends no more data. */
  hang: CONNECTION_FAULT,
  /** Sends the response body in pieces of `bytes` bytes (default 1), with a pause of `ms` milliseconds before each. */
  trickle: { ms: wholeNumber(0, HOUR), bytes: optional(wholeNumber(1, 1 << 20)), ...REQUEST_FILTER },
  "drop-watches": { kind: optional(TEXT), how: optional(DROP) },
  /**
   * Silences watches: they send no events and do not end. Open watches stay silent forever. New watches are silent
   * until the fault is removed.
   */
  "silent-watches": { kind: optional(TEXT) },
  /** Discards the history of changes. A watch that starts at an earlier version receives a 410 error. */
  compact: {},
  "stuck-namespace": NAME,
  "failing-job": { ...NAME, log: optional(TEXTS), exitCode: optional(wholeNumber(1, 255)) },
  /** Makes the Job's program run forever, until the Job fails because it exceeds a shortened deadline. */
  "hanging-job": { ...NAME, log: optional(TEXTS) },
  /** Makes the containers in matching pods exit right after each start. */
  crash: { ...NAME, log: optional(TEXTS), exitCode: optional(wholeNumber(1, 255)) },
  /** Keeps matching pods and snapshots from becoming ready. `message` is the error that the readiness probe reports. */
  unready: { ...NAME, message: optional(TEXT) },
  /** Makes the site's pages respond with this status. `name` matches the pod that runs the site's web server. */
  "failing-page": { ...NAME, status: wholeNumber(400, 599) },
  /**
   * Breaks the public pages of the site, but not the requests from inside the cluster. `name` matches the start of
   * `namespace/host`. `other` is a page that is not a login page; `endless` and `trickle` never end.
   */
  "broken-page": {
    ...NAME,
    how: oneOf("error", "hang", "close", "other", "endless", "trickle", "redirect"),
    location: optional(TEXT),
    session: optional(FLAG),
  },
  /** Makes pulling the image fail. `message` replaces the registry's default error message. */
  "missing-image": { image: TEXT, message: optional(TEXT) },
  /** Prevents the pod from being scheduled. `message` is the error that the scheduler reports. */
  "no-node": NAME_AND_MESSAGE,
  /** Prevents the creation of the pod's sandbox. `message` is the error that the node's network plugin reports. */
  "no-sandbox": NAME_AND_MESSAGE,
  /** Makes the node unreachable. Its pods no longer start, stop or disappear, and no new pods are scheduled there. */
  "lost-node": NAME,
  /** Makes the CSI driver fail to provision a volume for the PVC. */
  "no-volume": NAME_AND_MESSAGE,
  /** Makes the CSI driver wait forever instead of provisioning a volume for the PVC. */
  "slow-volume": NAME,
  /** Makes the CSI driver fail to expand the PVC's volume. `message` is the error that the driver reports. */
  "no-expansion": NAME_AND_MESSAGE,
  /** Delays the expansion of the PVC's file system until a new pod mounts the volume. */
  "offline-expansion": NAME,
  /** Makes the CSI driver fail to take a snapshot. */
  "no-snapshot": NAME_AND_MESSAGE,
  /** Makes admission reject new objects with a matching name. If `kind` is set, rejects only objects of that kind. */
  deny: { ...NAME_AND_MESSAGE, kind: optional(TEXT) },
  /** Prevents the issuance of a certificate. Its challenge is pending with `message` or, if `final` is set, fails. */
  uncertified: { ...NAME_AND_MESSAGE, final: optional(FLAG) },
  oom: NAME,
  /** Replaces the termination message of programs that end in matching pods. */
  "termination-message": NAME_AND_MESSAGE,
  /** Removes a permission: a verb (`*` for all verbs) on a resource such as `pods`, `pods/log` or `jobs.batch`. */
  forbid: { verb: TEXT, resource: TEXT },
  /** Disables all network policies. */
  "open-network": {},
} satisfies Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>>;

type ValueOf<F> = F extends Field<infer T> ? T : never;
type Values<F> =
  & { readonly [N in keyof F as F[N] extends { optional: true } ? never : N]: ValueOf<F[N]> }
  & { readonly [N in keyof F as F[N] extends { optional: true } ? N : never]?: ValueOf<F[N]> };

export type ConnectionBreakPoint = ValueOf<typeof FAULT_POINT>;
export type WatchDropMode = ValueOf<typeof DROP>;
export type FaultRequestFilter = Values<typeof REQUEST_FILTER>;
export type SimulatorFault = {
  [T in keyof typeof FAULT_FIELDS]: { readonly type: T } & Values<(typeof FAULT_FIELDS)[T]>;
}[keyof typeof FAULT_FIELDS];

/** Returns the posted fault, or a message that says why the posted value is invalid. */
export function parseFault(value: unknown): SimulatorFault | string {
  if (!isRecord(value)) return "A fault must be a JSON object";
  const fieldsByType: Readonly<Record<string, Readonly<Record<string, Field<unknown>>>>> = FAULT_FIELDS;
  const fields = Object.hasOwn(FAULT_FIELDS, String(value.type)) ? fieldsByType[value.type] : undefined;
  if (!fields) return `type must be one of ${Object.keys(FAULT_FIELDS).join(", ")}`;
  for (const name of Object.keys(value)) {
    if (name !== "type" && !Object.hasOwn(fields, name)) return `Unknown field ${name} for fault type ${value.type}`;
  }
  for (const [name, { fits, words, optional }] of Object.entries(fields)) {
    if (value[name] === undefined ? !optional : !fits(value[name])) return `${name} must be ${words}`;
  }
  return value as unknown as SimulatorFault;
}
