/**
 * Adds the namespace, owner labels and blueprint revision to rendered objects. Pod templates and PVC templates also get
 * the owner labels.
 */
import {
  CREATED_FROM_LABEL,
  FEDERATION_LABEL,
  MANAGED_BY_LABEL,
  SANDBOX_LABEL,
  SPOKE_LABEL,
} from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, ObjectMeta } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { BLUEPRINT_REVISION_ANNOTATION } from "#lib/moodle/names.ts";

interface OwnerIds {
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly sandbox?: SpokeInputs["sandbox"];
}

export interface ObjectOwner extends OwnerIds {
  /** The object's namespace; null for cluster-scoped objects. */
  readonly namespace: string | null;
  readonly revision: string;
}

/** Returns the labels that identify an object's owner. Objects in a sandbox have no spoke label and no hub label. */
export function buildOwnerLabels({ federationId, spokeId, sandbox }: OwnerIds): Record<string, string> {
  const createdFrom = sandbox?.madeAfter ?? null;
  const ids = sandbox
    ? { [SANDBOX_LABEL]: sandbox.id, ...(createdFrom !== null && { [CREATED_FROM_LABEL]: createdFrom }) }
    : {
      ...(federationId !== null && { [FEDERATION_LABEL]: federationId }),
      ...(spokeId !== null && { [SPOKE_LABEL]: spokeId }),
    };
  return { [MANAGED_BY_LABEL]: "wheelwright", ...ids };
}

export function addOwnerMetadata(object: KubeObject, owner: ObjectOwner): KubeObject {
  const labels = buildOwnerLabels(owner);
  const { name, labels: own, annotations, ...rest } = object.metadata;
  const namespace = object.kind === "Namespace" ? null : owner.namespace;
  const metadata = {
    name,
    ...(namespace === null ? {} : { namespace }),
    labels: { ...own, ...labels },
    annotations: { ...annotations, [BLUEPRINT_REVISION_ANNOTATION]: owner.revision },
    ...rest,
  };
  const result = { ...object, metadata };
  return object["spec"] === undefined ? result : { ...result, spec: addLabelsToTemplates(object["spec"], labels) };
}

/** An object inside of a spec from which Kubernetes creates other objects. */
interface ObjectTemplate {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: WorkloadSpec;
}

interface WorkloadSpec {
  readonly template?: ObjectTemplate;
  readonly jobTemplate?: ObjectTemplate;
  readonly volumeClaimTemplates?: readonly ObjectTemplate[];
}

function addLabelsToTemplates(spec: WorkloadSpec, labels: Record<string, string>): WorkloadSpec {
  const { template, jobTemplate, volumeClaimTemplates } = spec;
  const label = ({ metadata = {}, spec }: ObjectTemplate) => ({ metadata: withLabels(metadata, labels), spec });
  return {
    ...spec,
    ...(volumeClaimTemplates && {
      volumeClaimTemplates: volumeClaimTemplates.map((claim) => ({
        ...claim,
        metadata: withLabels(claim.metadata ?? {}, labels),
      })),
    }),
    ...(template && { template: label(template) }),
    ...(jobTemplate && {
      jobTemplate: { ...label(jobTemplate), spec: addLabelsToTemplates(jobTemplate.spec, labels) },
    }),
  };
}

function withLabels<M extends Partial<ObjectMeta>>(metadata: M, labels: Record<string, string>): M {
  return { ...metadata, labels: { ...metadata.labels, ...labels } };
}
