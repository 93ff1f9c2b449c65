/**
 * What has to stand in a spoke's namespace while it is active, by the inputs that it was made from: all that its
 * installation applied, with what operations change (replicas, whether scheduled tasks are paused) as its state says.
 */
import { SPOKE_STEPS } from "#lib/moodle/files.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import { REVISION } from "#lib/moodle/names.ts";
import type { SpokeStep } from "#lib/moodle/steps.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { unlike } from "#lib/drivers/cluster/difference.ts";
import { amountOf } from "#lib/drivers/cluster/trouble/quantity.ts";

export interface Expected {
  readonly object: KubeObject;
  /**
   * `presence`: only that it is there. So it is with what holds secrets, with what the seed was told (the hub's settings of
   * that day are not kept), and with a claim that the cluster made itself from a template.
   */
  readonly judged: "whole" | "presence";
}

interface ExpectedSite {
  readonly inputs: SpokeInputs;
  readonly maintenance: boolean;
}

export function expectedObjects(
  blueprint: Blueprint,
  { inputs, maintenance }: ExpectedSite,
  steps: readonly SpokeStep[] = SPOKE_STEPS,
): Expected[] {
  return steps.flatMap((step) => {
    const applied = blueprint.spokeObjects(inputs, step);
    const secrets = step === "secrets" ? [...blueprint.newSecrets(inputs), ...blueprint.mailSecret(inputs, null)] : [];
    return [
      ...secrets.map((object): Expected => ({ object, judged: "presence" })),
      ...applied.map((object): Expected => ({
        object: inState(object, maintenance),
        judged: step === "seed" || object.kind === "Secret" ? "presence" : "whole",
      })),
      ...applied.flatMap(claimsOf).map((object): Expected => ({ object, judged: "presence" })),
    ];
  });
}

/** The steps that make objects of each kind: the same for all spokes of a blueprint. */
export function stepsByKind(blueprint: Blueprint, site: ExpectedSite): ReadonlyMap<string, readonly SpokeStep[]> {
  const steps = new Map<string, SpokeStep[]>();
  for (const step of SPOKE_STEPS) {
    for (const kind of new Set(expectedObjects(blueprint, site, [step]).map(({ object }) => object.kind))) {
      steps.set(kind, [...steps.get(kind) ?? [], step]);
    }
  }
  return steps;
}

/** `Deployment/moodle`. */
export function titleOf({ kind, metadata }: { readonly kind: string; readonly metadata: { name: string } }): string {
  return `${kind}/${metadata.name}`;
}

function inState(object: KubeObject, maintenance: boolean): KubeObject {
  if (object.kind === "Deployment" || object.kind === "StatefulSet") return withSpec(object, { replicas: 1 });
  if (object.kind === "CronJob") return withSpec(object, { suspend: maintenance });
  return object;
}

/** Claims that a StatefulSet's controller makes for its first pod. */
function claimsOf(object: KubeObject): KubeObject[] {
  const templates: readonly KubeObject[] = object["spec"]?.volumeClaimTemplates ?? [];
  return templates.map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...metadata, name: `${metadata.name}-${object.metadata.name}-0` },
    spec,
  }));
}

/**
 * The manifest as it can be applied to what stands there: a disk that has grown is never asked to shrink, templates of
 * claims, which cannot be changed, stay as they are, and of which revision an object is, is not the object's doing.
 */
export function fitted(manifest: KubeObject, standing: KubeObject): KubeObject {
  if (manifest.kind === "PersistentVolumeClaim") return withDisk(manifest, standing);
  if (manifest.kind !== "StatefulSet" || !manifest["spec"]?.volumeClaimTemplates) return manifest;
  const templates = standing["spec"]?.volumeClaimTemplates;
  const asked = { ...manifest, metadata: standing.metadata, spec: pick(manifest["spec"]) };
  if (!templates || unlike(asked, standing).length === 0) return manifest;
  return withSpec(manifest, { volumeClaimTemplates: templates });
}

/** The same, and with the revision that it carries: to find out what somebody has changed. */
export function asItWas(manifest: KubeObject, standing: KubeObject): KubeObject {
  const fitting = fitted(manifest, standing);
  const revision = standing.metadata.annotations?.[REVISION];
  const { metadata } = fitting;
  if (revision === undefined || metadata.annotations?.[REVISION] === revision) return fitting;
  return { ...fitting, metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: revision } } };
}

function pick({ volumeClaimTemplates }: { readonly volumeClaimTemplates: unknown }): object {
  return { volumeClaimTemplates };
}

function withDisk(manifest: KubeObject, standing: KubeObject): KubeObject {
  const asked = manifest["spec"]?.resources?.requests?.storage;
  const there = standing["spec"]?.resources?.requests?.storage;
  if (there === undefined || !(amountOf(String(there)) > amountOf(String(asked)))) return manifest;
  const { resources } = manifest["spec"];
  return withSpec(manifest, { resources: { ...resources, requests: { ...resources.requests, storage: there } } });
}

function withSpec(object: KubeObject, change: object): KubeObject {
  return { ...object, spec: { ...object["spec"], ...change } };
}
