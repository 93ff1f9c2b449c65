/** Creates pods from a template for all controllers. Records each success or failure as an Event about the owner. */
import {
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  createOwnerReference,
} from "#lib/dev/simulator/controllers/objects.ts";
import { recordKubernetesEvent } from "#lib/dev/simulator/controllers/events.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export interface PodCreationOptions {
  readonly owner: StoredObject;
  readonly template: Json;
  /** The pod's name, set for StatefulSets only. If it is missing, a name is generated from the owner's name. */
  readonly name?: string;
  readonly labels?: Record<string, string>;
  /** The component that reports the event, for example `job-controller`. */
  readonly by: string;
}

/** Creates the pod. Returns true if the pod was created or already exists. */
export function createPod(world: SimulatorContext, { owner, template, name, labels, by }: PodCreationOptions): boolean {
  const { creationTimestamp: _, ...meta } = template.metadata ?? {}, { name: of, namespace } = owner.metadata;
  const metadata = {
    ...meta,
    ...(name === undefined ? { generateName: `${of}-` } : { name }),
    namespace,
    labels: { ...meta.labels, ...labels },
    ownerReferences: [createOwnerReference(owner)],
  };
  try {
    const pod = createManagedObject(world, CONTROLLER_FIELD_MANAGER, { kind: "Pod", metadata, spec: template.spec });
    const message = name === undefined
      ? `Created pod: ${pod.metadata.name}`
      : `create Pod ${name} in StatefulSet ${of} successful`;
    recordKubernetesEvent(world, owner, { by, normal: "SuccessfulCreate", message });
    return true;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "AlreadyExists") return true;
    const message = name === undefined
      ? `Error creating: ${error.message}`
      : `create Pod ${name} in StatefulSet ${of} failed error: ${error.message}`;
    recordKubernetesEvent(world, owner, { by, warning: "FailedCreate", message });
    return false;
  }
}
