/** Making pods from a template, for whatever controls them; what keeps a pod out is said on its controller. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import { Refusal } from "#lib/dev/simulator/refusal.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { createObject } from "#lib/dev/simulator/writes.ts";
import { ownerReference } from "#lib/dev/simulator/controllers/controller.ts";

export interface Making {
  readonly owner: KubeObject;
  readonly template: Json;
  /** A whole name; else one is generated from the owner's. */
  readonly name?: string;
  readonly labels?: Record<string, string>;
  /** Who says so: job-controller, replicaset-controller … */
  readonly by: string;
}

/** Whether the pod was made. */
export function makePod(world: World, making: Making): boolean {
  const { owner, template, name, labels, by } = making;
  const kind: Kind = world.kinds.of("v1", "Pod")!;
  const { creationTimestamp: _, ...meta } = template.metadata ?? {};
  const body = {
    metadata: {
      ...meta,
      ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : { name }),
      labels: { ...meta.labels, ...labels },
      ownerReferences: [ownerReference(owner)],
    },
    spec: template.spec,
  };
  try {
    const pod = createObject(world, kind, owner.metadata.namespace, body, { manager: "kube-controller-manager" });
    const set = owner.kind === "StatefulSet";
    const message = set
      ? `create Pod ${pod.metadata.name} in StatefulSet ${owner.metadata.name} successful`
      : `Created pod: ${pod.metadata.name}`;
    say(world, owner, { type: "Normal", reason: "SuccessfulCreate", message, by });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.reason === "AlreadyExists") return true;
    const message = owner.kind === "StatefulSet"
      ? `create Pod ${name} in StatefulSet ${owner.metadata.name} failed error: ${error.message}`
      : `Error creating: ${error.message}`;
    say(world, owner, { type: "Warning", reason: "FailedCreate", message, by });
    return false;
  }
}

/** Milliseconds until a controller that could not make its pods tries again: longer each time it could not. */
export function makingBackoff(failures: number): number {
  return Math.min(60_000, 1000 * 2 ** Math.min(failures, 6));
}
