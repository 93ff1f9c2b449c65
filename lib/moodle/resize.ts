/**
 * Another size for a spoke: what it is made from afterwards, and what it may take on the way there.
 *
 * A disk never shrinks: nobody can take one back from a file system that is in use. So what a spoke has stays among its
 * inputs when the size would have it smaller, and the quota leaves room for it twice, since a restore is made beside what
 * it replaces. Pure.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { type Arithmetic, type Demand, writeAmount } from "#lib/moodle/quota.ts";
import type { Size } from "#lib/moodle/sizes.ts";

export type Disks = Size["disks"];
export type Disk = keyof Disks;
export const DISKS: readonly Disk[] = ["files", "database"];

/** Which of the disks the cluster can make larger. */
export type Growth = Readonly<Record<Disk, boolean>>;

/** What the spoke is made from in the other size. All that is not its size stays as it is. */
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

/** The same with the disks that there are, whatever its size has, and with room for them. */
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
 * What must be allowed while some parts have the one size and some the other: of each bound the larger one, and no less
 * than the largest of all parts take together.
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

/** Of two amounts the larger one as it is written; of two maps of them, field by field. */
export function larger<T>(one: T, other: T): T {
  if (typeof one === "object" && one !== null) {
    const fields = Object.entries(one).map((
      [name, value],
    ) => [name, larger(value, (other as typeof one)[name as never])]);
    return Object.fromEntries(fields) as T;
  }
  return parseQuantity(String(other)) > parseQuantity(String(one)) ? other : one;
}

/** The size that the StatefulSet's template has for good: it is the one that the disk was made with. */
function madeDatabaseDisk({ madeDatabaseDisk: made, resources }: SpokeInputs): string {
  return made ?? resources.disks.database;
}
