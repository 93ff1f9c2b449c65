/** Streams changes to objects (watches) and the lines of pod logs. */
import type { ServerResponse } from "node:http";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { parseListSelectors, validateListOptions } from "#lib/dev/simulator/api/list.ts";
import type { WatchDropMode } from "#lib/dev/simulator/fault-types.ts";
import type { ApiKind, Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { StoredObjectChange } from "#lib/dev/simulator/store/store.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const BOOKMARK_INTERVAL = MINUTE;
const DEFAULT_TIMEOUT = 30 * MINUTE; // if the client sets no timeout
const MAX_UNREAD_BYTES = 8 * 1024 * 1024; // bytes that a client may leave unread before the connection is closed

export function streamObjectChanges(
  world: Simulation,
  kind: ApiKind,
  namespace: string | undefined,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  validateListOptions(world, query, true);
  const selected = parseListSelectors(kind, query);
  const requested = query.get("resourceVersion") ?? "";
  const from = requested === "" || requested === "0" ? null : Number(requested);
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  let silent = false;
  const send = (type: string, object: Json): void => {
    if (silent) return;
    response.write(JSON.stringify({ type, object }) + "\n");
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  };
  const bookmark = (annotations?: Json) => {
    const metadata = { resourceVersion: String(world.store.version()), creationTimestamp: null, ...annotations };
    send("BOOKMARK", { kind: kind.kind, apiVersion: kind.apiVersion, metadata });
  };
  const sendChange = (change: StoredObjectChange): void => {
    if (
      change.object.kind !== kind.kind || (namespace !== undefined && change.object.metadata.namespace !== namespace)
    ) return;
    const was = change.previous !== null && change.type !== "ADDED" && selected(change.previous);
    const is = change.type !== "DELETED" && selected(change.object);
    if (is) send(was ? "MODIFIED" : "ADDED", change.object);
    else if (was) send("DELETED", change.object);
  };

  if (from === null) {
    for (const object of world.store.list(kind.kind, namespace)) if (selected(object)) send("ADDED", object);
    if (query.get("sendInitialEvents") === "true") {
      bookmark({ annotations: { "k8s.io/initial-events-end": "true" } });
    }
  } else {
    const changes = world.store.since(from);
    if (changes === null) {
      const message = `too old resource version: ${from} (${world.store.horizon() + 1})`;
      send("ERROR", new StatusError(410, "Expired", message).body());
      return void response.end();
    }
    for (const change of changes) sendChange(change);
  }

  const stop = world.store.subscribe(sendChange);
  const unregister = world.faults.registerStream({
    kind,
    drop: (how) => dropWatch(response, how, send),
    silence: () => void (silent = true),
  });
  const timers = new Set<() => void>();
  const every = (ms: number, act: () => void): void => {
    const cancel = world.timers.after(ms, () => {
      timers.delete(cancel);
      act();
      if (!response.writableEnded) every(ms, act);
    });
    timers.add(cancel);
  };
  if (query.get("allowWatchBookmarks") === "true") every(BOOKMARK_INTERVAL, () => bookmark());
  const seconds = Number(query.get("timeoutSeconds") ?? 0);
  timers.add(
    world.timers.after(seconds > 0 ? seconds * SECOND : DEFAULT_TIMEOUT, () => void (silent || response.end())),
  );
  response.once("close", () => {
    stop();
    unregister();
    for (const cancel of timers) cancel();
  });
}

const ENDLESS_CHUNK = "x".repeat(64 * 1024);

/** Ends a watch in the way that the fault specifies, for example with an ERROR event or a malformed line. */
function dropWatch(response: ServerResponse, how: WatchDropMode, send: (type: string, object: Json) => void): void {
  if (how === "cut") return void response.destroy();
  if (how === "expired") send("ERROR", new StatusError(410, "Expired", "The resourceVersion is too old.").body());
  if (how === "error") send("ERROR", new StatusError(500, "InternalError", "etcdserver: leader changed").body());
  if (how === "garbage") response.write("<html>502 Bad Gateway</html>\n");
  if (how === "half") return void response.write('{"type":"MODIFIED","obj', () => void response.destroy());
  if (how !== "endless") return void response.end();
  const more = (): void => {
    if (!response.destroyed) response.write(ENDLESS_CHUNK, () => setImmediate(more));
  };
  more();
}

export function sendPodLog(
  world: Simulation,
  pod: StoredObject,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const name = containerOf(pod, query.get("container"));
  const previous = query.get("previous") === "true";
  const log = world.logs.find(pod.metadata.uid, name, previous);
  const status = [...pod.status?.initContainerStatuses ?? [], ...pod.status?.containerStatuses ?? []]
    .find((each: Json) => each.name === name);
  if (!log) {
    const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata.name)}`;
    if (previous) throw StatusError.badRequest(`previous terminated ${where} not found`);
    const waiting = status?.state?.waiting?.reason ?? "ContainerCreating";
    const failing = /Pull|Image/.test(waiting) ? "trying and failing to pull image" : waiting;
    throw StatusError.badRequest(`${where} is waiting to start: ${failing}`);
  }
  const hasTimestamps = query.get("timestamps") === "true";
  const write = (line: { at: number; text: string }) =>
    response.write((hasTimestamps ? `${new Date(line.at).toISOString()} ` : "") + line.text + "\n");
  const tail = query.get("tailLines");
  const since = query.get("sinceSeconds");
  const recent = since === null
    ? log.lines
    : log.lines.filter((line) => line.at >= world.timers.now() - Number(since) * 1000);
  response.writeHead(200, { "content-type": "text/plain" });
  for (const line of tail === null ? recent : Number(tail) === 0 ? [] : recent.slice(-Number(tail))) write(line);
  if (query.get("follow") !== "true" || !log.open) return void response.end();
  response.flushHeaders();
  let sent = log.written;
  const stop = world.logs.follow(log, () => {
    const fresh = log.written - sent;
    sent = log.written;
    if (fresh > 0) { for (const line of log.lines.slice(-fresh)) write(line); }
    if (!log.open) response.end();
  });
  const drop = (how: string) => void (how === "end" ? response.end() : response.destroy());
  const forget = world.faults.registerStream({ kind: null, drop, silence: () => stop() });
  response.once("close", () => {
    stop();
    forget();
  });
}

function containerOf(pod: StoredObject, requested: string | null): string {
  const names: string[] = [...pod.spec.initContainers ?? [], ...pod.spec.containers].map(({ name }: Json) => name);
  if (requested === null) {
    if (pod.spec.containers.length > 1 || pod.spec.initContainers) {
      if (pod.spec.containers.length === 1) return pod.spec.containers[0].name;
      const choices = pod.spec.containers.map(({ name }: Json) => name).join(" ");
      throw StatusError.badRequest(
        `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${choices}]`,
      );
    }
    return names[0]!;
  }
  if (!names.includes(requested)) {
    throw StatusError.badRequest(`container ${requested} is not valid for pod ${pod.metadata.name}`);
  }
  return requested;
}
