/** Collects evidence about a failure: the namespace's events, and the log of the container that failed last. */
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import {
  type ContainerState,
  createdAt,
  getContainerStates,
  getLastEventTime,
  parseKubeTimestamp,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { ClusterCall, FailureEvidence, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type LogSource, readLog } from "#lib/drivers/cluster/logs.ts";
import type { ObjectClient } from "#lib/drivers/cluster/objects.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";

const MAX_EVENTS = 100;
const MAX_MESSAGE_LENGTH = 2048;

interface EvidenceContext {
  readonly api: KubeApi;
  readonly objects: ObjectClient;
  readonly namespace: string;
}

/** Collects events and the failed container's log. Adds read errors to the log. Throws only if the signal aborts. */
export async function collectEvidence(
  { api, objects, namespace }: EvidenceContext,
  call: ClusterCall,
): Promise<FailureEvidence> {
  const missing: string[] = [];
  const list = (kind: string) =>
    objects.list({ apiVersion: "v1", kind }, "", call).catch((error) => {
      call.signal.throwIfAborted();
      missing.push(`(the ${kind.toLowerCase()}s cannot be read: ${getErrorMessage(error)})`);
      return [] as KubeObject[];
    });
  const [pods, events] = await Promise.all([list("Pod"), list("Event")]);
  const source = findFailedContainer(pods, namespace);
  const log = source ? await readLog(api, source, call) : [];
  return { log: [...missing, ...log], events: summarizeEvents(events) };
}

/** Returns the newest 100 events, oldest first. Repeated messages about an object become one event with a count. */
export function summarizeEvents(events: readonly KubeObject[]): FailureEvidence["events"] {
  const merged = new Map<string, FailureEvidence["events"][number]>();
  for (const event of events.toSorted((a, b) => getLastEventTime(a) - getLastEventTime(b))) {
    const about = event["involvedObject"] ?? {};
    const object = escapeInvisibleCharacters(`${about.kind ?? "?"}/${about.name ?? "?"}`),
      reason = escapeInvisibleCharacters(String(event["reason"] ?? ""));
    const message = escapeInvisibleCharacters(String(event["message"] ?? "").slice(0, MAX_MESSAGE_LENGTH));
    const key = JSON.stringify([object, reason, message]);
    const count = Number(event["series"]?.count ?? event["count"] ?? 1) || 1;
    const before = merged.get(key)?.count ?? 0;
    merged.delete(key); // moves a repeated message to the end of the map
    merged.set(key, {
      at: new Date(getLastEventTime(event)).toISOString(),
      object,
      reason,
      message,
      count: count + before,
    });
  }
  return [...merged.values()].slice(-MAX_EVENTS);
}

/** Returns the container that failed last, or else a running container that is not ready. */
export function findFailedContainer(pods: readonly KubeObject[], namespace: string): LogSource | undefined {
  const candidates = pods.flatMap((pod) =>
    getContainerStates(pod).map((container) => ({ pod, container, at: failedAt(container) }))
  );
  const failed = candidates.filter(({ at }) => at !== undefined).toSorted((a, b) => a.at! - b.at!).at(-1);
  const unready = candidates.filter(({ container }) => container.state?.running && container.ready === false)
    .toSorted((a, b) => createdAt(a.pod) - createdAt(b.pod)).at(-1);
  const chosen = failed ?? unready;
  if (!chosen) return undefined;
  // Reads the previous run's log if the container was restarted, because that log shows the failure.
  const previous = chosen === failed && chosen.container.state?.running !== undefined;
  return { namespace, pod: chosen.pod.metadata.name, container: chosen.container.name, previous };
}

function failedAt(container: ContainerState): number | undefined {
  const end = container.state?.terminated ?? container.lastState?.terminated;
  if (!end || end.exitCode === 0) return undefined;
  return parseKubeTimestamp(end.finishedAt) ?? 0;
}
