/**
 * Records every write request and every object change, so that tests can find repeated, late or unexpected writes. All
 * records have consecutive numbers, so that a test can detect missing records.
 */
import { isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { ObjectStore, StoredObjectChange } from "#lib/dev/simulator/store/store.ts";

/** A recorded write request: any request except GET. */
export interface WriteRecord {
  readonly n: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly fieldManager: string | null;
  readonly dryRun: boolean;
  readonly userAgent: string;
  /** The attempt number (fence) in the request's body or in the Job name in its path; null if there is none. */
  readonly fence: string | null;
  /** The HTTP status of the response; 0 if the simulator sent no response. */
  readonly status: number;
  /** Whether the request created, changed or removed the object in its URL path. */
  readonly changed: boolean;
  /** The object's resourceVersion after the request; null if the object does not exist then. */
  readonly resourceVersion: string | null;
}

/** A recorded change to an object. `write` is the number of the request that caused it; null for a controller. */
export type RecordedChange = { readonly n: number; readonly at: string; readonly write: number | null } & Digest;

type Digest = Readonly<ReturnType<typeof digest>>;

export interface RecordedRequest {
  readonly method: string;
  /** The request's path and query. */
  readonly target: string;
  readonly text: string;
  readonly userAgent: string;
}

/** The effect that a write request had on the object in its URL path. */
export interface WriteEffect {
  readonly changed: boolean;
  readonly resourceVersion: string | null;
}

export type WriteRecorder = ReturnType<typeof createWriteRecorder>;

const LAST = 20_000;

export function createWriteRecorder(
  store: ObjectStore,
  { keep, now }: { readonly keep: "the last" | "everything"; readonly now: () => number },
) {
  const writes: WriteRecord[] = [], history: RecordedChange[] = [];
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
    writes: (): readonly WriteRecord[] => writes,
    history: (): readonly RecordedChange[] => history,
    /** Runs a synchronous function and records the object changes that it makes as changes by the current request. */
    during<T>(run: () => T): T {
      inRequest = true;
      try {
        return run();
      } finally {
        inRequest = false;
      }
    },
    note({ method, target, text, userAgent }: RecordedRequest, status: number, effect?: WriteEffect): void {
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
        fence: readRequestFencingToken(target, text),
        status,
        ...effect ?? { changed: false, resourceVersion: null },
      });
      bound(writes);
    },
  };
}

function digest({ type, object }: StoredObjectChange) {
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
    replicas: numberOf((object as StoredObject).spec?.replicas),
    ready: numberOf(status.readyReplicas),
    active: numberOf(status.active) ?? 0,
    succeeded: numberOf(status.succeeded) ?? 0,
    failed: numberOf(status.failed) ?? 0,
    /** The object's status conditions, each in the form `Type=Status:Reason`. */
    conditions: (Array.isArray(status.conditions) ? status.conditions : []).map(sayCondition) as readonly string[],
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

const JOB = /\/apis\/batch\/v1\/namespaces\/[^/]+\/jobs\/[^/?]*?-(\d+)[^/?]*(?:[/?]|$)/;

export function readRequestFencingToken(target: string, text: string): string | null {
  return (text.includes("fence") ? inBody(text) : null) ?? JOB.exec(target)?.[1] ?? null;
}

function inBody(text: string): string | null {
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    return null; // YAML or invalid; the server reports an error to the client
  }
  if (Array.isArray(body)) return body.map(inOperation).findLast((fence) => fence !== null) ?? null;
  const { labels, annotations } = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  return inMap(annotations) ?? inMap(labels);
}

function inOperation(operation: Json): string | null {
  if (!isRecord(operation) || (operation.op !== "add" && operation.op !== "replace")) return null;
  if (String(operation.path).endsWith("~1fence")) return fenceText(operation.value);
  return inMap(operation.value);
}

function inMap(map: Json): string | null {
  if (!isRecord(map)) return null;
  const name = Object.keys(map).find((key) => key.endsWith("/fence"));
  return name === undefined ? null : fenceText(map[name]);
}

function fenceText(value: Json): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
