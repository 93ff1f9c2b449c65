/** Sums the resources of a spoke's rendered objects in the way that a Kubernetes quota counts them. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

/** CPU cores and bytes of memory. */
interface Load {
  readonly cpu: number;
  readonly memory: number;
}

export interface Demand {
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly limits: { readonly cpu: string; readonly memory: string };
  readonly storage: string;
}

export interface Arithmetic {
  /** The sum of all permanent pods, one large Job, two small Jobs, and twice the disks. */
  readonly demand: Demand;
  readonly quota: Demand;
  /** Lists the needed amounts that exceed the quota or a limit, one sentence each. */
  readonly over: readonly string[];
}

interface Container {
  readonly name: string;
  readonly resources?: Partial<Record<"requests" | "limits", Partial<Record<"cpu" | "memory", string>>>>;
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

const NOTHING: Load = { cpu: 0, memory: 0 };

/** Compares a spoke's objects and Jobs with its quota and LimitRange. */
export function arithmetic(objects: readonly KubeObject[], jobs: readonly KubeObject[]): Arithmetic {
  const quota = objects.find((object) => object.kind === "ResourceQuota")?.["spec"].hard ?? {};
  const limits = objects.find((object) => object.kind === "LimitRange")?.["spec"].limits ?? [];
  const container = limits.find((limit: { type: string }) => limit.type === "Container") ?? {};
  const claim = limits.find((limit: { type: string }) => limit.type === "PersistentVolumeClaim") ?? {};
  const standing = objects.map(podSpecOf).filter((pod) => pod !== null);
  const passing = jobs.map(podSpecOf).filter((pod) => pod !== null);

  const total = (field: "requests" | "limits"): Load => {
    const usual = field === "requests" ? container.defaultRequest : container.default;
    const small = passing.map((pod) => loadOf(pod, field, usual)).sort((a, b) => a.memory - b.memory || a.cpu - b.cpu);
    const largest = small.reduce(most, NOTHING);
    const besides = small.slice(0, 2).reduce(plus, NOTHING);
    return plus(plus(standing.map((pod) => loadOf(pod, field, usual)).reduce(plus, NOTHING), largest), besides);
  };
  const disks = objects.flatMap(disksOf);
  const requests = total("requests"), capped = total("limits");
  const storage = 2 * disks.reduce((sum, disk) => sum + disk, 0);

  const over = [
    ["requests.cpu", requests.cpu],
    ["requests.memory", requests.memory],
    ["limits.cpu", capped.cpu],
    ["limits.memory", capped.memory],
    ["requests.storage", storage],
  ].filter(([name, amount]) => !(Number(amount) <= parseQuantity(String(quota[name!])) + 1e-9))
    .map(([name, amount]) =>
      `${name} of the quota is ${quota[name!]}, and ${writeAmount(String(name), Number(amount))} are needed`
    );
  for (const pod of [...standing, ...passing]) {
    for (const each of [...pod.containers, ...pod.initContainers ?? []]) {
      for (const field of ["cpu", "memory"] as const) {
        const limit = each.resources?.limits?.[field];
        if (limit !== undefined && !(parseQuantity(limit) <= parseQuantity(String(container.max?.[field])))) {
          over.push(
            `the container ${each.name} has a ${field} limit of ${limit}, over the largest, ${container.max?.[field]}`,
          );
        }
      }
    }
  }
  for (const disk of disks.filter((disk) => !(disk <= parseQuantity(String(claim.max?.storage))))) {
    over.push(`a disk of ${writeAmount("memory", disk)} is over the largest, ${claim.max?.storage}`);
  }
  return {
    demand: { requests: written(requests), limits: written(capped), storage: writeAmount("storage", storage) },
    quota: {
      requests: { cpu: quota["requests.cpu"], memory: quota["requests.memory"] },
      limits: { cpu: quota["limits.cpu"], memory: quota["limits.memory"] },
      storage: quota["requests.storage"],
    },
    over: [...new Set(over)],
  };
}

function podSpecOf(object: KubeObject): PodSpec | null {
  const template = object.kind === "CronJob" ? object["spec"].jobTemplate?.spec?.template : object["spec"]?.template;
  return template?.spec ?? null;
}

/**
 * Returns the load of a pod. Init containers run one at a time before the others, so the load is the larger of both.
 */
function loadOf(pod: PodSpec, field: "requests" | "limits", usual: Record<string, string> | undefined): Load {
  const of = (container: Container): Load => {
    const given = { ...usual, ...container.resources?.[field] };
    return { cpu: parseQuantity(given["cpu"] ?? "0"), memory: parseQuantity(given["memory"] ?? "0") };
  };
  return most(pod.containers.map(of).reduce(plus, NOTHING), (pod.initContainers ?? []).map(of).reduce(most, NOTHING));
}

function disksOf(object: KubeObject): number[] {
  const claims = object.kind === "PersistentVolumeClaim" ? [object] : object["spec"]?.volumeClaimTemplates ?? [];
  return claims.map((claim: KubeObject) => parseQuantity(claim["spec"].resources.requests.storage));
}

function plus(a: Load, b: Load): Load {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory };
}

function most(a: Load, b: Load): Load {
  return { cpu: Math.max(a.cpu, b.cpu), memory: Math.max(a.memory, b.memory) };
}

function written(load: Load): { cpu: string; memory: string } {
  return { cpu: writeAmount("cpu", load.cpu), memory: writeAmount("memory", load.memory) };
}

/** Formats a quantity: CPU in millicores, bytes in Gi or Mi. */
export function writeAmount(name: string, amount: number): string {
  if (name.endsWith("cpu")) return `${Math.round(amount * 1000)}m`;
  return amount % 2 ** 30 === 0 ? `${amount / 2 ** 30}Gi` : `${Math.ceil(amount / 2 ** 20)}Mi`;
}
