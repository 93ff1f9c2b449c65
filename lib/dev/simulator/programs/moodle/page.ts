/** Simulates a site's login page for browsers and for the readiness probe. */
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradeLocked,
  listServicePods,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { canPodConnect } from "#lib/dev/simulator/programs/network.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export const POSTGRES_PORT = 5432;
const LOGIN = "/login/index.php";

export function canReachDatabase(world: SimulatorContext, pod: StoredObject): boolean {
  return listServicePods(world, pod.metadata.namespace!, "db").some((each) =>
    canPodConnect(world, pod, each, POSTGRES_PORT)
  );
}

/** Returns the login page's HTTP status; null if it times out because the network blocks access to the database. */
export function getLoginPageStatus(world: SimulatorContext, pod: StoredObject): number | null {
  const { namespace, name } = pod.metadata;
  const { database, files } = getSimulatedSite(world, namespace!, pod);
  if (files.maintenance) return 503; // Moodle sends this response before it connects to the database
  const failing = world.faults.find("failing-page", namespace, name);
  if (failing) return failing.status;
  if (database && !canReachDatabase(world, pod)) return null;
  return isSiteInstalled(database) && !isUpgradeLocked(database, world.timers.now()) ? 200 : 500;
}

/** Whether the container's readiness probe is a command that requests the login page. */
export function hasLoginPageProbe({ readinessProbe }: Json): boolean {
  return readinessProbe?.exec?.command?.join(" ").includes(LOGIN) ?? false;
}

/** Returns the kubelet's error if the readiness probe cannot load the login page; null if the probe succeeds. */
export function findReadinessFailure(world: SimulatorContext, pod: StoredObject, container: Json): string | null {
  if (!hasLoginPageProbe(container) || getSimulatedSite(world, pod.metadata.namespace!, pod).files.maintenance) {
    return null;
  }
  const status = getLoginPageStatus(world, pod);
  if (status !== null && status < 400) return null;
  const curl = status === null
    ? "curl: (28) Operation timed out after 10002 milliseconds with 0 bytes received"
    : `curl: (22) The requested URL returned error: ${status}`;
  return `Readiness probe failed: ${curl}`;
}
