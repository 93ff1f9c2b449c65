/**
 * The record: who wrote what when, and what became of each object, for a test that asks afterwards whether anything was done
 * twice, too late or by a stranger.
 *
 * Over HTTP: `GET /simulator/writes?since=N` and `GET /simulator/history?kind=Job&since=N` (api/record.ts). Both are
 * bounded, unless everything is to be kept; every entry has a number, so that a later reader sees it when something was
 * lost.
 */
import { fenceOf } from "#lib/dev/simulator/fence.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import type { Change, Store } from "#lib/dev/simulator/store.ts";

/** One request that could have changed something. */
export interface Write {
  readonly n: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly fieldManager: string | null;
  readonly dryRun: boolean;
  readonly userAgent: string;
  /** What the body sets, or else the name in the path holds, if either does. */
  readonly fence: string | null;
  /** What was answered; 0: nothing. */
  readonly status: number;
  /** Whether what the path names is another than before, was made, or is gone. */
  readonly changed: boolean;
  /** Of the object as it stands afterwards; null where none does. */
  readonly resourceVersion: string | null;
}

/** One change of one object, by a request (`write` is its number) or by a controller (null). */
export interface Happening {
  readonly n: number;
  readonly at: string;
  readonly write: number | null;
  readonly type: Change["type"];
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly phase: string | null;
  readonly replicas: number | null;
  readonly ready: number | null;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  /** `Type=Status:Reason` of each. */
  readonly conditions: readonly string[];
}

export interface Requested {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly text: string;
  readonly userAgent: string;
}

/** What a request did to the object that its path names. */
export interface Effect {
  readonly changed: boolean;
  readonly resourceVersion: string | null;
}

export interface Recorder {
  writes(): readonly Write[];
  history(): readonly Happening[];
  /** Runs what a request does; whatever changes meanwhile is its doing. It must not wait for anything. */
  during<T>(run: () => T): T;
  note(requested: Requested, status: number, effect?: Effect): void;
}

export interface RecorderOptions {
  readonly keep: "the last" | "everything";
  readonly now: () => number;
}

const LAST = 20_000;

export function openRecorder(store: Store, { keep, now }: RecorderOptions): Recorder {
  const writes: Write[] = [], history: Happening[] = [];
  let written = 0, happened = 0, inRequest = false;
  const at = () => new Date(now()).toISOString();
  const bound = (entries: unknown[]): void => {
    if (keep === "the last" && entries.length > 2 * LAST) entries.splice(0, entries.length - LAST);
  };

  store.subscribe((change) => {
    history.push({ n: ++happened, at: at(), write: inRequest ? written + 1 : null, ...digest(change) });
    bound(history);
  });

  return {
    writes: () => writes,
    history: () => history,
    during(run) {
      inRequest = true;
      try {
        return run();
      } finally {
        inRequest = false;
      }
    },
    note({ method, target, text, userAgent }, status, effect = { changed: false, resourceVersion: null }) {
      if (method === "GET") return;
      const { searchParams } = new URL(target, "http://simulator");
      writes.push({
        n: ++written,
        at: at(),
        method,
        path: target,
        fieldManager: searchParams.get("fieldManager"),
        dryRun: searchParams.getAll("dryRun").includes("All"),
        userAgent,
        fence: fenceOf(target, text),
        status,
        ...effect,
      });
      bound(writes);
    },
  };
}

function digest({ type, object }: Change): Omit<Happening, "n" | "at" | "write"> {
  const { namespace, name, uid, resourceVersion, deletionTimestamp } = object.metadata;
  const status: Json = object.status ?? {};
  return {
    type,
    kind: object.kind,
    namespace: namespace ?? null,
    name,
    uid,
    resourceVersion,
    deleting: deletionTimestamp !== undefined,
    phase: textOf(status.phase),
    replicas: numberOf((object as KubeObject).spec?.replicas),
    ready: numberOf(status.readyReplicas),
    active: numberOf(status.active) ?? 0,
    succeeded: numberOf(status.succeeded) ?? 0,
    failed: numberOf(status.failed) ?? 0,
    conditions: Array.isArray(status.conditions) ? status.conditions.map(sayCondition) : [],
  };
}

function sayCondition({ type, status, reason }: Json): string {
  return `${type}=${status}${reason ? `:${reason}` : ""}`;
}

function textOf(value: Json): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: Json): number | null {
  return typeof value === "number" ? value : null;
}
