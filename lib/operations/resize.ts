/** Changes a spoke's size: its CPU, memory and storage. */
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { computeResizedInputs } from "#lib/moodle/resize.ts";
import { buildSizePatch, findSizeDependentFields, type SizeDependentObject } from "#lib/moodle/size-fields.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import { Fault } from "#lib/base/errors.ts";
import { createPvcGrowth, type ObjectPatch } from "#lib/operations/change.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import { createPayloadSchema, declareOperation, UPDATE_TRANSITION } from "#lib/operations/operation.ts";
import { SizeDependentInputs } from "#lib/operations/progress.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** The parameters of the action, which the API, the portal and the command line offer. */
export const RESIZE_PARAMETERS = {
  size: {
    schema: spokeFields.size.schema,
    required: true,
    catalogued: "sizes",
    label: "Size",
    hint: "The new size",
    example: "large",
  },
} as const;

/** Changes a spoke's size. The resource quota grows first and shrinks last, so that it always allows all objects. */
export const resize = declareOperation({
  name: "resize",
  action: { summary: "Change the site's CPU, memory and storage.", parameters: RESIZE_PARAMETERS },
  verbPhrase: "resize",
  from: ["active"],
  transition: UPDATE_TRANSITION,
  downtime: true,
  affectsPrice: true,
  payload: createPayloadSchema(RESIZE_PARAMETERS),
  progress: {
    before: SizeDependentInputs,
    after: SizeDependentInputs,
    /** The sizes that the PVCs request after the step `disks`. */
    disks: v.object({ files: v.exactOptional(v.string()), database: v.exactOptional(v.string()) }),
  },
  requireEffect(_, spoke, { size }) {
    if (size === spoke.size) {
      throw new Fault("impossible", "size_unchanged", `Cannot resize to ${size}: the spoke already has this size`);
    }
  },
  describe: () => ["Disks grow if the storage class supports it; disks never shrink"],
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      prepare: ["Comparing the sizes", 6 * MINUTE],
      quota: ["Raising the quota", MINUTE],
      disks: ["Growing the disks", 30 * MINUTE],
      database: ["Resizing the database", 15 * MINUTE],
      verify: ["Checking that the data belongs to this site", 6 * MINUTE],
      app: ["Resizing Moodle", 16 * MINUTE],
      cron: ["Resizing scheduled tasks", MINUTE],
      limits: ["Setting the limits for the new size", MINUTE],
      health: ["Checking the site's login page", 6 * MINUTE],
    },
  },
  changes({ blueprint, catalog, inputs, payload: { size } }) {
    const canGrow = { files: true, database: true }; // the storage class decides whether a disk can grow
    const target = computeResizedInputs(inputs, size, catalog.resourcesOf(size), { canGrow });
    const { files, database } = target.resources.disks, claims = getSitePvcNames(inputs);
    const parts = listSizeDependentObjects(blueprint, target);
    return {
      disks: [createPvcGrowth(claims.files, files), createPvcGrowth(claims.database, database)],
      database: parts.database.map(createSizePatch),
      app: parts.app.map(createSizePatch),
      cron: parts.cron.map(createSizePatch),
      limits: parts.limits.map(createSizePatch),
    };
  },
});

/** Maps each step of a resize to the blueprint steps whose objects it changes. */
const BLUEPRINT_STEPS = {
  database: ["database"],
  app: ["secrets", "app"],
  cron: ["cron"],
  limits: ["policies"],
} as const;

/** Lists the objects with fields that depend on the size, and these fields. Disks are not included. */
export function listSizeDependentObjects(
  blueprint: Blueprint,
  inputs: SpokeInputs,
): Record<keyof typeof BLUEPRINT_STEPS, readonly SizeDependentObject[]> {
  const objectsOf = (steps: readonly SpokeInstallStep[]) =>
    steps.flatMap((step) => findSizeDependentFields(inputs, (each) => blueprint.spokeObjects(each, step)));
  return {
    database: objectsOf(BLUEPRINT_STEPS.database),
    app: objectsOf(BLUEPRINT_STEPS.app),
    cron: objectsOf(BLUEPRINT_STEPS.cron),
    limits: objectsOf(BLUEPRINT_STEPS.limits),
  };
}

function createSizePatch({ ref, fields }: SizeDependentObject): ObjectPatch {
  return { ref, patch: (current) => buildSizePatch(current, fields) };
}
