/** Sends pod logs: a container's last lines and, with `follow`, each new line until the container ends. */
import type { ServerResponse } from "node:http";
import { badRequestError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export function sendPodLog(
  world: SimulatorContext,
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
    if (previous) throw badRequestError(`previous terminated ${where} not found`);
    const waiting = status?.state?.waiting?.reason ?? "ContainerCreating";
    const failing = /Pull|Image/.test(waiting) ? "trying and failing to pull image" : waiting;
    throw badRequestError(`${where} is waiting to start: ${failing}`);
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
      throw badRequestError(
        `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${choices}]`,
      );
    }
    return names[0]!;
  }
  if (!names.includes(requested)) {
    throw badRequestError(`container ${requested} is not valid for pod ${pod.metadata.name}`);
  }
  return requested;
}
