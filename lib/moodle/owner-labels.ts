/**
 * Adds the namespace, owner labels and blueprint revision to each object. Pod and PVC templates get the owner labels,
 * too.
 */
import {
  CREATED_FROM_LABEL,
  FEDERATION_LABEL,
  MANAGED_BY_LABEL,
  SANDBOX_LABEL,
  SPOKE_LABEL,
} from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, Meta } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { REVISION } from "#lib/moodle/names.ts";

interface Whose {
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly sandbox?: SpokeInputs["sandbox"];
}

export interface ObjectOwner extends Whose {
  /** Null for cluster-scoped objects. */
  readonly namespace: string | null;
  readonly revision: string;
}

/**
 * Returns the owner labels. A sandbox has no spoke or hub label, so that searches for spokes and hubs do not find it.
 */
export function labelsOf({ federationId, spokeId, sandbox }: Whose): Record<string, string> {
  const madeAfter = sandbox?.madeAfter ?? null;
  const whose = sandbox
    ? { [SANDBOX_LABEL]: sandbox.id, ...(madeAfter !== null && { [CREATED_FROM_LABEL]: madeAfter }) }
    : {
      ...(federationId !== null && { [FEDERATION_LABEL]: federationId }),
      ...(spokeId !== null && { [SPOKE_LABEL]: spokeId }),
    };
  return { [MANAGED_BY_LABEL]: "wheelwright", ...whose };
}

export function stamp(object: KubeObject, owner: ObjectOwner): KubeObject {
  const labels = labelsOf(owner);
  const { name, labels: own, annotations, ...rest } = object.metadata;
  const namespace = object.kind === "Namespace" ? null : owner.namespace;
  const metadata = {
    name,
    ...(namespace === null ? {} : { namespace }),
    labels: { ...own, ...labels },
    annotations: { ...annotations, [REVISION]: owner.revision },
    ...rest,
  };
  const stamped = { ...object, metadata };
  return object["spec"] === undefined ? stamped : { ...stamped, spec: stampTemplates(object["spec"], labels) };
}

// deno-lint-ignore no-explicit-any
function stampTemplates(spec: any, labels: Record<string, string>): any {
  const stamped = { ...spec };
  if (spec.volumeClaimTemplates) {
    stamped.volumeClaimTemplates = spec.volumeClaimTemplates.map((claim: { metadata?: Partial<Meta> }) => ({
      ...claim,
      metadata: labelled(claim.metadata ?? {}, labels),
    }));
  }
  for (const field of ["template", "jobTemplate"]) {
    const template = spec[field];
    if (!template) continue;
    const metadata = labelled(template.metadata ?? {}, labels);
    stamped[field] = {
      metadata,
      spec: field === "jobTemplate" ? stampTemplates(template.spec, labels) : template.spec,
    };
  }
  return stamped;
}

function labelled<M extends Partial<Meta>>(metadata: M, labels: Record<string, string>): M {
  return { ...metadata, labels: { ...metadata.labels, ...labels } };
}
