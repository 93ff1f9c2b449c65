/** The built-in blueprint, and sample inputs for it. */
import { readdirSync, readFileSync } from "node:fs";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  BLUEPRINT_JOBS,
  type BlueprintFiles,
  type HubStep,
  type SpokeInstallStep,
} from "#lib/moodle/blueprint-files.ts";
import type { HubInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { type Blueprint, createBlueprint } from "#lib/moodle/blueprint.ts";
import { buildSampleSpokeInputs } from "#lib/moodle/releases.ts";
import type { HubSettings } from "#lib/moodle/seed.ts";

const FOLDER = new URL("../../../lib/moodle/manifests/", import.meta.url);

export const STEPS: readonly SpokeInstallStep[] = [
  ...["namespace", "policies", "secrets", "volumes", "database"] as const,
  ...["seed", "app", "cron", "ingress"] as const,
];
export const HUB_STEPS: readonly HubStep[] = ["namespace", "settings", "issuer", "library"];

export function builtIn(replaced: BlueprintFiles = {}): BlueprintFiles {
  const files = readdirSync(FOLDER).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")] as const);
  return { ...Object.fromEntries(files), ...replaced };
}

/** Returns a built-in file with a text replaced. Throws if it does not contain the text. */
export function edited(file: string, from: string, to: string): BlueprintFiles {
  const text = builtIn()[file]!;
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  return builtIn({ [file]: text.replace(from, () => to) });
}

export function inputsOf(blueprint: Blueprint, changes: Partial<SpokeInputs> = {}, size = "small"): SpokeInputs {
  return {
    ...buildSampleSpokeInputs(blueprint, size, blueprint.sizes.sizes[size]!),
    federationId: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg",
    spokeId: "spk_06fj2c4v7tq0w1x9n3m8k5r2dh",
    namespace: "spoke-biology-9n3m8k5r2dh",
    slug: "biology",
    displayName: "Department of Biology",
    host: "biology.spokes.example.org",
    adminEmail: "ada@example.org",
    issuer: "wheelwright-nginx",
    ...changes,
  };
}

export function hubInputsOf(blueprint: Blueprint, changes: Partial<HubInputs> = {}): HubInputs {
  return {
    federationId: "fed_06fj2c4v7tq0w1x9n3m8k5r2dg",
    namespace: "hub-science-9n3m8k5r2dg",
    slug: "science",
    surroundings: blueprint.surroundings,
    issuer: "wheelwright-nginx",
    acmeEmail: "ops@example.org",
    ...changes,
  };
}

/** Returns all objects of a spoke except generated Secrets, in the order of the steps, with the Jobs last. */
export function allObjects(blueprint: Blueprint, inputs: SpokeInputs, hub?: HubSettings): KubeObject[] {
  return [
    ...STEPS.flatMap((step) => blueprint.spokeObjects(inputs, step, hub)),
    ...blueprint.mailSecret(inputs, null),
    ...BLUEPRINT_JOBS.map((job) => blueprint.jobObject(inputs, job, "17")),
  ];
}

export function openBlueprint(): Blueprint {
  return createBlueprint(builtIn());
}

/** Returns the pod specs in the objects, each with the title of its owner. */
// deno-lint-ignore no-explicit-any
export function podSpecs(objects: readonly KubeObject[]): { owner: string; metadata: any; spec: any }[] {
  return objects.flatMap((object) => {
    const template = object["spec"]?.template ?? object["spec"]?.jobTemplate?.spec?.template;
    return template ? [{ owner: `${object.kind}/${object.metadata.name}`, ...template }] : [];
  });
}

export function find(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
}
