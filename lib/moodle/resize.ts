/**
 * Computes a spoke's inputs for another size, and the limits during the resize. Pure.
 * A disk never shrinks, because a file system in use cannot. The inputs therefore keep the larger disks. The quota is
 * large enough for twice the disks, because a restore creates new volumes next to the old ones.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { type Arithmetic, type Demand, writeAmount } from "#lib/moodle/quota.ts";
import type { Size } from "#lib/moodle/sizes.ts";

export type Disks = Size["disks"];
export type Disk = keyof Disks;
export const DISKS: readonly Disk[] = ["files", "database"];

/** Whether the cluster can enlarge each disk. */
export type Growth = Readonly<Record<Disk, boolean>>;

/** Returns the spoke's inputs in the other size. */
export function resizedInputs(
  inputs: SpokeInputs,
  size: string,
  resources: Size,
  { canGrow }: { readonly canGrow: Growth },
): SpokeInputs {
  const { disks } = inputs.resources;
  const there = {
    files: canGrow.files ? larger(disks.files, resources.disks.files) : disks.files,
    database: canGrow.database ? larger(disks.database, resources.disks.database) : disks.database,
  };
  return withDisks({ ...inputs, size, resources, madeDatabaseDisk: madeDatabaseDisk(inputs) }, there);
}

/** Returns the inputs with these disk sizes, and a quota that is large enough for them. */
export function withDisks(inputs: SpokeInputs, disks: Disks): SpokeInputs {
  const { madeDatabaseDisk: _, ...rest } = inputs, { quota, largest } = inputs.resources;
  const made = madeDatabaseDisk(inputs);
  const twice = writeAmount("storage", 2 * (parseQuantity(disks.files) + parseQuantity(disks.database)));
  return {
    ...rest,
    resources: {
      ...inputs.resources,
      disks,
      quota: { ...quota, storage: larger(quota.storage, twice) },
      largest: { ...largest, disk: [disks.files, disks.database].reduce(larger, largest.disk) },
    },
    ...(made === disks.database ? {} : { madeDatabaseDisk: made }),
  };
}

/**
 * Returns the limits during a resize, when the parts have different sizes. Each limit is the larger of its two values,
 * and at least the sum of the larger parts.
 */
export function roomBetween(
  from: SpokeInputs,
  to: SpokeInputs,
  sum: (inputs: SpokeInputs) => Arithmetic,
): SpokeInputs {
  const both = { ...to, resources: larger(from.resources, to.resources) };
  const { demand }: { demand: Demand } = sum(both);
  const { quota } = both.resources;
  return { ...both, resources: { ...both.resources, quota: larger(quota, demand) } };
}

/** Returns the larger of two quantities, unchanged in form. Compares maps field by field. */
export function larger<T>(one: T, other: T): T {
  if (typeof one === "object" && one !== null) {
    const fields = Object.entries(one).map((
      [name, value],
    ) => [name, larger(value, (other as typeof one)[name as never])]);
    return Object.fromEntries(fields) as T;
  }
  return parseQuantity(String(other)) > parseQuantity(String(one)) ? other : one;
}

/** Returns the disk size in the StatefulSet's PVC template, which is the size at creation. */
function madeDatabaseDisk({ madeDatabaseDisk: made, resources }: SpokeInputs): string {
  return made ?? resources.disks.database;
}
