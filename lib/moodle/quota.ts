/** Adds up the resources that a spoke's manifests need, in the way that a Kubernetes ResourceQuota counts them. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

/** An amount of CPU in cores and of memory in bytes. */
interface PodResources {
  readonly cpu: number;
  readonly memory: number;
}

export interface QuotaResourceAmounts {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly cpu: string; readonly memory: string };
  readonly storage: string;
}

export interface QuotaUsage {
  /** The resources for all permanent pods, the largest Job and two small Jobs, with twice the storage of all disks. */
  readonly usage: QuotaResourceAmounts;
  readonly quota: QuotaResourceAmounts;
  /** A sentence for each amount that exceeds the quota or a limit. */
  readonly problems: readonly string[];
}

interface Container {
  readonly name: string;
  readonly resources?: Partial<Record<"requests" | "limits", Partial<Record<"cpu" | "memory", string>>>>;
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

const NO_RESOURCES: PodResources = { cpu: 0, memory: 0 };

/** Compares the resources that a spoke's objects and Jobs need with the spoke's ResourceQuota and LimitRange. */
export function computeQuotaUsage(objects: readonly KubeObject[], jobs: readonly KubeObject[]): QuotaUsage {
  const quota = objects.find((object) => object.kind === "ResourceQuota")?.["spec"].hard ?? {};
  const limits = objects.find((object) => object.kind === "LimitRange")?.["spec"].limits ?? [];
  const container = limits.find((limit: { type: string }) => limit.type === "Container") ?? {};
  const claim = limits.find((limit: { type: string }) => limit.type === "PersistentVolumeClaim") ?? {};
  const permanentPods = objects.map(podSpecOf).filter((pod) => pod !== null);
  const jobPods = jobs.map(podSpecOf).filter((pod) => pod !== null);

  const total = (field: "requests" | "limits"): PodResources => {
    const defaults = field === "requests" ? container.defaultRequest : container.default;
    const sortedJobs = jobPods.map((pod) => podResources(pod, field, defaults)).sort((a, b) =>
      a.memory - b.memory || a.cpu - b.cpu
    );
    const largestJob = sortedJobs.reduce(maxResources, NO_RESOURCES);
    const smallJobs = sortedJobs.slice(0, 2).reduce(addResources, NO_RESOURCES);
    return addResources(
      addResources(
        permanentPods.map((pod) => podResources(pod, field, defaults)).reduce(addResources, NO_RESOURCES),
        largestJob,
      ),
      smallJobs,
    );
  };
  const disks = objects.flatMap(diskSizesOf);
  const requests = total("requests"), limitTotals = total("limits");
  const storage = 2 * disks.reduce((sum, disk) => sum + disk, 0);

  const problems = [
    ["requests.cpu", requests.cpu],
    ["requests.memory", requests.memory],
    ["limits.cpu", limitTotals.cpu],
    ["limits.memory", limitTotals.memory],
    ["requests.storage", storage],
  ].filter(([name, amount]) => !(Number(amount) <= parseQuantity(String(quota[name!])) + 1e-9))
    .map(([name, amount]) =>
      `the quota for ${name} is ${quota[name!]}, but ${formatQuantity(String(name), Number(amount))} is needed`
    );
  for (const pod of [...permanentPods, ...jobPods]) {
    for (const each of [...pod.containers, ...pod.initContainers ?? []]) {
      for (const field of ["cpu", "memory"] as const) {
        const limit = each.resources?.limits?.[field];
        if (limit !== undefined && !(parseQuantity(limit) <= parseQuantity(String(container.max?.[field])))) {
          problems.push(
            `the container ${each.name} has a ${field} limit of ${limit}; the maximum is ${container.max?.[field]}`,
          );
        }
      }
    }
  }
  for (const disk of disks.filter((disk) => !(disk <= parseQuantity(String(claim.max?.storage))))) {
    problems.push(`a disk has ${formatQuantity("memory", disk)}; the maximum is ${claim.max?.storage}`);
  }
  return {
    usage: {
      requests: formatResources(requests),
      limits: formatResources(limitTotals),
      storage: formatQuantity("storage", storage),
    },
    quota: {
      requests: { cpu: quota["requests.cpu"], memory: quota["requests.memory"] },
      limits: { cpu: quota["limits.cpu"], memory: quota["limits.memory"] },
      storage: quota["requests.storage"],
    },
    problems: [...new Set(problems)],
  };
}

function podSpecOf(object: KubeObject): PodSpec | null {
  const template = object.kind === "CronJob" ? object["spec"].jobTemplate?.spec?.template : object["spec"]?.template;
  return template?.spec ?? null;
}

/** Returns a pod's resources: the largest init container or the sum of the other containers, whichever is larger. */
function podResources(
  pod: PodSpec,
  field: "requests" | "limits",
  defaults: Record<string, string> | undefined,
): PodResources {
  const resourcesOf = (container: Container): PodResources => {
    const amounts = { ...defaults, ...container.resources?.[field] };
    return { cpu: parseQuantity(amounts["cpu"] ?? "0"), memory: parseQuantity(amounts["memory"] ?? "0") };
  };
  return maxResources(
    pod.containers.map(resourcesOf).reduce(addResources, NO_RESOURCES),
    (pod.initContainers ?? []).map(resourcesOf).reduce(maxResources, NO_RESOURCES),
  );
}

function diskSizesOf(object: KubeObject): number[] {
  const claims = object.kind === "PersistentVolumeClaim" ? [object] : object["spec"]?.volumeClaimTemplates ?? [];
  return claims.map((claim: KubeObject) => parseQuantity(claim["spec"].resources.requests.storage));
}

function addResources(a: PodResources, b: PodResources): PodResources {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory };
}

function maxResources(a: PodResources, b: PodResources): PodResources {
  return { cpu: Math.max(a.cpu, b.cpu), memory: Math.max(a.memory, b.memory) };
}

function formatResources(load: PodResources): { cpu: string; memory: string } {
  return { cpu: formatQuantity("cpu", load.cpu), memory: formatQuantity("memory", load.memory) };
}

/** Formats an amount as a Kubernetes quantity: CPU in millicores, memory and storage in Gi or Mi. */
export function formatQuantity(name: string, amount: number): string {
  if (name.endsWith("cpu")) return `${Math.round(amount * 1000)}m`;
  return amount % 2 ** 30 === 0 ? `${amount / 2 ** 30}Gi` : `${Math.ceil(amount / 2 ** 20)}Mi`;
}
