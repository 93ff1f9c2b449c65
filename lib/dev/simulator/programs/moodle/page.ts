/** The login page of a site: what its web server answers in the pod, and what the readiness probe makes of that. */
import { isInstalled, isLocked, readyBehind, siteOf } from "#lib/dev/simulator/programs/moodle/site.ts";
import { mayConnect } from "#lib/dev/simulator/programs/network.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export const POSTGRES_PORT = 5432;
const LOGIN = "/login/index.php";

/** Whether a connection from the pod to the database comes about. */
export function reachesDatabase(world: World, pod: StoredObject): boolean {
  return readyBehind(world, pod.metadata.namespace!, "db").some((each) => mayConnect(world, pod, each, POSTGRES_PORT));
}

/** The HTTP status of the page, or null if it does not answer in time: packets to the database are dropped. */
export function pageStatus(world: World, pod: StoredObject): number | null {
  const { namespace, name } = pod.metadata;
  const { database, files } = siteOf(world, namespace!, pod);
  if (files.maintenance) return 503; // before Moodle connects to the database
  const failing = world.faults.of("failing-page", namespace, name);
  if (failing) return failing.status;
  if (database && !reachesDatabase(world, pod)) return null;
  return isInstalled(database) && !isLocked(database, world.timers.now()) ? 200 : 500;
}

/** Whether the container's readiness probe requests the login page. */
export function probesPage({ readinessProbe }: Json): boolean {
  return readinessProbe?.exec?.command?.join(" ").includes(LOGIN) ?? false;
}

/** What the kubelet reports of a readiness probe that fails; null if it succeeds. Probes of other paths succeed. */
export function failureOfProbe(world: World, pod: StoredObject, container: Json): string | null {
  if (!probesPage(container) || siteOf(world, pod.metadata.namespace!, pod).files.maintenance) return null;
  const status = pageStatus(world, pod);
  if (status !== null && status < 400) return null;
  const curl = status === null
    ? "curl: (28) Operation timed out after 10002 milliseconds with 0 bytes received"
    : `curl: (22) The requested URL returned error: ${status}`;
  return `Readiness probe failed: ${curl}`;
}
