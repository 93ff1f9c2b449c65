/** Renders a hub's Kubernetes objects, with the library of its courses. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  HUB_STEP_FILES,
  type HubStep,
  LIBRARY_JOB_FILE_NAME,
  LIBRARY_KEY_FILE_NAME,
} from "#lib/moodle/blueprint-files.ts";
import type { HubInputs } from "#lib/moodle/inputs.ts";
import { buildLibraryJobValues, findLibraryImage, type LibraryTask } from "#lib/moodle/library-jobs.ts";
import type { ParsedBlueprint } from "#lib/moodle/parse-blueprint.ts";
import type { OwnerOfObjects, RenderObjects } from "#lib/moodle/render-objects.ts";
import { generateLibraryKey } from "#lib/moodle/secrets.ts";
import { buildHubManifestValues } from "#lib/moodle/values.ts";

export interface HubBlueprint {
  /** Returns a hub's objects for a step. The step `issuer` has cluster-wide objects, but none without ACME_EMAIL. */
  hubObjects(inputs: HubInputs, step: HubStep): KubeObject[];
  /** Returns a Job that works on the packages in a hub's library. */
  libraryJob(inputs: HubInputs, fence: string, task: LibraryTask): KubeObject;
  /** Returns the Secret with a new key for a hub's library. An existing Secret is kept. */
  newLibraryKey(inputs: HubInputs): KubeObject;
}

export function createHubBlueprint(parsed: ParsedBlueprint, render: RenderObjects): HubBlueprint {
  return {
    hubObjects(inputs, step) {
      if (step === "issuer" && inputs.issuer === null) return [];
      const owner = step === "issuer" ? { namespace: null, federationId: null, spokeId: null } : ownerOf(inputs);
      const values = { ...buildHubManifestValues(inputs), ...buildLibraryValues(parsed, inputs) };
      const objects = render(HUB_STEP_FILES[step], values, owner);
      if (step === "issuer" || step === "library") return objects;
      return objects.filter((object) => (object.kind === "Namespace") === (step === "namespace"));
    },
    libraryJob(inputs, fence, task) {
      const values = { ...buildHubManifestValues(inputs), ...buildLibraryJobValues(parsed, fence, task) };
      return render(LIBRARY_JOB_FILE_NAME, values, ownerOf(inputs))[0]!;
    },
    newLibraryKey(inputs) {
      const values = { ...buildHubManifestValues(inputs), LIBRARY_KEY: generateLibraryKey() };
      return render(LIBRARY_KEY_FILE_NAME, values, ownerOf(inputs))[0]!;
    },
  };
}

function ownerOf({ namespace, federationId }: HubInputs): OwnerOfObjects {
  return { namespace, federationId, spokeId: null };
}

/** Returns the values for library.yaml. */
function buildLibraryValues(parsed: ParsedBlueprint, { surroundings }: HubInputs) {
  return {
    LIBRARY_IMAGE: findLibraryImage(parsed),
    LIBRARY_SCRIPT: parsed.scripts.library,
    STORAGE_CLASS: surroundings.storageClass ?? null,
  };
}
