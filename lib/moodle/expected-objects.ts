/** Lists the objects that an active spoke's namespace should contain. */
import { SPOKE_INSTALL_STEPS, type SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { BLUEPRINT_REVISION_ANNOTATION } from "#lib/moodle/names.ts";
import type { HubSettings } from "#lib/moodle/seed.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findManifestMismatches } from "#lib/drivers/cluster/diff.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

export interface ExpectedObject {
  readonly object: KubeObject;
  /** The manifest to apply, without the fields in `state`; null for objects that are created but never applied. */
  readonly applied: KubeObject | null;
  /** The `spec` fields that operations change. A patch sets them, because a server-side apply could undo a change. */
  readonly state?: Readonly<Record<string, unknown>>;
  /**
   * How the object is checked for drift. `full` compares all fields. `presence` only checks that the object exists: for
   * Secrets, for objects of the seed (initial content), and for PVCs that a StatefulSet created.
   */
  readonly comparison: "full" | "presence";
}

export interface ExpectedSite {
  readonly inputs: SpokeInputs;
  readonly maintenance: boolean;
  /** The settings of the spoke's hub. They are needed to apply objects, but not to check for drift. */
  readonly hub?: HubSettings;
  readonly relaySecret?: string | null;
}

export function listExpectedObjects(
  blueprint: Blueprint,
  { inputs, maintenance, hub, relaySecret = null }: ExpectedSite,
  steps: readonly SpokeInstallStep[] = SPOKE_INSTALL_STEPS,
): ExpectedObject[] {
  const checkPresence = (object: KubeObject): ExpectedObject => ({ object, applied: null, comparison: "presence" });
  return steps.flatMap((step) => {
    const objects = blueprint.spokeObjects(inputs, step, hub);
    const isSecrets = step === "secrets";
    return [
      ...(isSecrets ? blueprint.newSecrets(inputs) : []).map(checkPresence),
      ...[...isSecrets ? blueprint.mailSecret(inputs, relaySecret) : [], ...objects].map((applied): ExpectedObject => {
        const state = stateOf(applied, maintenance);
        const comparison = step === "seed" || applied.kind === "Secret" ? "presence" : "full";
        return { object: state ? withSpec(applied, state) : applied, applied, comparison, ...(state && { state }) };
      }),
      ...objects.flatMap(listStatefulSetPvcs).map(checkPresence),
    ];
  });
}

/** Maps each Kubernetes kind to the steps that create objects of that kind. The result is the same for all spokes. */
export function mapKindsToSteps(
  blueprint: Blueprint,
  site: ExpectedSite,
): ReadonlyMap<string, readonly SpokeInstallStep[]> {
  const steps = new Map<string, SpokeInstallStep[]>();
  for (const step of SPOKE_INSTALL_STEPS) {
    for (const kind of new Set(listExpectedObjects(blueprint, site, [step]).map(({ object }) => object.kind))) {
      steps.set(kind, [...steps.get(kind) ?? [], step]);
    }
  }
  return steps;
}

export function formatObjectTitle(
  { kind, metadata }: { readonly kind: string; readonly metadata: { name: string } },
): string {
  return `${kind}/${metadata.name}`;
}

function stateOf({ kind }: KubeObject, maintenance: boolean): ExpectedObject["state"] {
  if (kind === "Deployment" || kind === "StatefulSet") return { replicas: 1 };
  return kind === "CronJob" ? { suspend: maintenance } : undefined;
}

/** Returns the PVCs that Kubernetes creates for a StatefulSet's first pod. */
export function listStatefulSetPvcs(object: KubeObject): KubeObject[] {
  const templates: readonly KubeObject[] = object["spec"]?.volumeClaimTemplates ?? [];
  return templates.map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name: `${metadata.name}-${object.metadata.name}-0` },
    spec,
  }));
}

/** Adapts a manifest so that an update succeeds: keeps larger disks and the PVC templates of the existing object. */
export function adaptManifestToExistingObject(manifest: KubeObject, observed: KubeObject): KubeObject {
  if (manifest.kind === "PersistentVolumeClaim") return withDisk(manifest, observed);
  if (manifest.kind !== "StatefulSet" || !manifest["spec"]?.volumeClaimTemplates) return manifest;
  const templates = observed["spec"]?.volumeClaimTemplates;
  const requested = { ...manifest, metadata: observed.metadata, spec: pick(manifest["spec"]) };
  if (!templates || findManifestMismatches(requested, observed).length === 0) return manifest;
  return withSpec(manifest, { volumeClaimTemplates: templates });
}

/** Returns the manifest with the existing object's blueprint revision, so that the revision never counts as drift. */
export function copyObservedRevision(manifest: KubeObject, observed: KubeObject): KubeObject {
  const adjusted = adaptManifestToExistingObject(manifest, observed);
  const revision = observed.metadata.annotations?.[BLUEPRINT_REVISION_ANNOTATION];
  const { metadata } = adjusted;
  if (revision === undefined || metadata.annotations?.[BLUEPRINT_REVISION_ANNOTATION] === revision) return adjusted;
  return {
    ...adjusted,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [BLUEPRINT_REVISION_ANNOTATION]: revision } },
  };
}

function pick({ volumeClaimTemplates }: { readonly volumeClaimTemplates: unknown }): object {
  return { volumeClaimTemplates };
}

function withDisk(manifest: KubeObject, observed: KubeObject): KubeObject {
  const requested = manifest["spec"]?.resources?.requests?.storage;
  const observedSize = observed["spec"]?.resources?.requests?.storage;
  if (observedSize === undefined || !(parseQuantity(String(observedSize)) > parseQuantity(String(requested)))) {
    return manifest;
  }
  const { resources } = manifest["spec"];
  return withSpec(manifest, {
    resources: { ...resources, requests: { ...resources.requests, storage: observedSize } },
  });
}

function withSpec(object: KubeObject, change: object): KubeObject {
  return { ...object, spec: { ...object["spec"], ...change } };
}
