/** Gives a spoke another size. */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Blueprint } from "#lib/moodle/load.ts";
import { claimNames } from "#lib/moodle/names.ts";
import { resizedInputs } from "#lib/moodle/resize.ts";
import { setFields, type Sized, sizedObjects } from "#lib/moodle/sized.ts";
import type { SpokeStep } from "#lib/moodle/files.ts";
import { refuseUnlisted } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/base/errors.ts";
import { grow, type Patch } from "#lib/operations/change.ts";
import { declareOperation, needed } from "#lib/operations/operation.ts";
import { UPDATE } from "#lib/operations/states.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

/** The payload of its job. */
export interface ResizeWish {
  readonly size: string;
}

/** The quota grows first and shrinks last, so that at no time something has no room. */
export const resize = declareOperation({
  name: "resize",
  isAction: true,
  deed: "resize",
  from: ["active"],
  passage: UPDATE,
  downtime: true,
  priced: true,
  wish(catalog, { size }): ResizeWish {
    if (size === undefined) throw needed("size", "resize", "the size to have");
    refuseUnlisted(catalog, { size });
    return { size };
  },
  demand(_, spoke, payload) {
    const { size } = payload as ResizeWish;
    if (size === spoke.size) {
      throw new Fault("impossible", "size_unchanged", `Cannot resize to ${size}: it has that size already`);
    }
  },
  says: () => ["Disks grow where the cluster can do that, and never shrink"],
  plan: {
    version: 1,
    limit: 2 * HOUR,
    steps: {
      prepare: ["Comparing the sizes", 6 * MINUTE],
      room: ["Making room", MINUTE],
      disks: ["Growing the disks", 30 * MINUTE],
      database: ["Resizing the database", 15 * MINUTE],
      verify: ["Checking that the data is still the site's own", 6 * MINUTE],
      app: ["Resizing Moodle", 16 * MINUTE],
      cron: ["Resizing scheduled tasks", MINUTE],
      limits: ["Setting the limits of the new size", MINUTE],
      health: ["Looking at the site's login page", 6 * MINUTE],
    },
  },
  changes({ blueprint, catalog, inputs, payload }) {
    const { size } = payload as ResizeWish;
    const canGrow = { files: true, database: true }; // whether a disk can, its storage class says
    const target = resizedInputs(inputs, size, catalog.resourcesOf(size), { canGrow });
    const { files, database } = target.resources.disks, claims = claimNames(inputs);
    const parts = sizedParts(blueprint, target);
    return {
      disks: [grow(claims.files, files), grow(claims.database, database)],
      database: parts.database.map(toSize),
      app: parts.app.map(toSize),
      cron: parts.cron.map(toSize),
      limits: parts.limits.map(toSize),
    };
  },
});

/** Which steps of the blueprint make what each step of a resize gives the size of these inputs. */
const PARTS = { database: ["database"], app: ["secrets", "app"], cron: ["cron"], limits: ["policies"] } as const;

/** The objects that differ by size, each with those of its fields that do so; not the disks. */
export function sizedParts(blueprint: Blueprint, inputs: SpokeInputs): Record<keyof typeof PARTS, readonly Sized[]> {
  const sized = (steps: readonly SpokeStep[]) =>
    steps.flatMap((step) => sizedObjects(inputs, (each) => blueprint.spokeObjects(each, step)));
  return {
    database: sized(PARTS.database),
    app: sized(PARTS.app),
    cron: sized(PARTS.cron),
    limits: sized(PARTS.limits),
  };
}

function toSize({ ref, fields }: Sized): Patch {
  return { ref, patch: (standing) => setFields(standing, fields) };
}
