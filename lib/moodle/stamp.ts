/**
 * What every object of ours carries, so that no manifest can forget it: its namespace, the labels that tell whose it is
 * (on pods and claims made from templates, too), and the blueprint's revision.
 */
import { FEDERATION, MANAGED_BY, SPOKE } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, Meta } from "#lib/drivers/cluster/cluster.ts";
import { REVISION } from "#lib/moodle/names.ts";

export interface ObjectOwner {
  /** Null for what belongs to no namespace. */
  readonly namespace: string | null;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly revision: string;
}

export function stamp(object: KubeObject, owner: ObjectOwner): KubeObject {
  const labels = {
    [MANAGED_BY]: "wheelwright",
    ...(owner.federationId === null ? {} : { [FEDERATION]: owner.federationId }),
    ...(owner.spokeId === null ? {} : { [SPOKE]: owner.spokeId }),
  };
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
