/**
 * Pure functions that compute a spoke's inputs for another size, and the limits that apply during a resize. Disks
 * never shrink. The quota allows for twice the disks' storage, because a restore creates new volumes next to the old.
 */
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import * as v from "valibot";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { formatQuantity, type QuotaResourceAmounts, type QuotaUsage } from "#lib/moodle/quota.ts";
import type { SiteSize } from "#lib/moodle/sizes.ts";

export type DiskSizes = SiteSize["disks"];
export type DiskName = keyof DiskSizes;
export const DISK_NAMES: readonly DiskName[] = ["files", "database"];

export type GrowableDisks = Readonly<Record<DiskName, boolean>>;

type SizeInputs = Pick<SpokeInputs, "size" | "resources" | "madeDatabaseDisk">;

export function pickSizeInputs({ size, resources, madeDatabaseDisk }: SpokeInputs): SizeInputs {
  return { size, resources, ...(madeDatabaseDisk !== undefined && { madeDatabaseDisk }) };
}

/** Returns a spoke's inputs with other values for those that depend on its size. */
export function replaceSizeInputs(
  { madeDatabaseDisk: _, ...inputs }: SpokeInputs,
  sizeInputs: SizeInputs | undefined,
): SpokeInputs {
  return v.parse(SpokeInputs, { ...inputs, ...sizeInputs });
}

/** Returns a spoke's inputs for another size. Only disks that `canGrow` allows become larger. */
export function computeResizedInputs(
  inputs: SpokeInputs,
  size: string,
  resources: SiteSize,
  { canGrow }: { readonly canGrow: GrowableDisks },
): SpokeInputs {
  const { disks } = inputs.resources;
  const newDisks = {
    files: canGrow.files ? getLargerQuantity(disks.files, resources.disks.files) : disks.files,
    database: canGrow.database ? getLargerQuantity(disks.database, resources.disks.database) : disks.database,
  };
  return setDiskSizes({ ...inputs, size, resources, madeDatabaseDisk: initialDatabaseDisk(inputs) }, newDisks);
}

/** Returns the inputs with the given disk sizes, and with a quota that is large enough for these disks. */
export function setDiskSizes(inputs: SpokeInputs, disks: DiskSizes): SpokeInputs {
  const { madeDatabaseDisk: _, ...rest } = inputs, { quota, largest } = inputs.resources;
  const initialSize = initialDatabaseDisk(inputs);
  const twice = formatQuantity("storage", 2 * (parseQuantity(disks.files) + parseQuantity(disks.database)));
  return {
    ...rest,
    resources: {
      ...inputs.resources,
      disks,
      quota: { ...quota, storage: getLargerQuantity(quota.storage, twice) },
      largest: { ...largest, disk: [disks.files, disks.database].reduce(getLargerQuantity, largest.disk) },
    },
    ...(initialSize === disks.database ? {} : { madeDatabaseDisk: initialSize }),
  };
}

/** Returns the inputs to use during a resize. The limits are high enough for both the old and the new size. */
export function computeInputsDuringResize(
  from: SpokeInputs,
  to: SpokeInputs,
  sum: (inputs: SpokeInputs) => QuotaUsage,
): SpokeInputs {
  const combined = { ...to, resources: getLargerQuantity(from.resources, to.resources) };
  const { usage }: { usage: QuotaResourceAmounts } = sum(combined);
  const { quota } = combined.resources;
  return { ...combined, resources: { ...combined.resources, quota: getLargerQuantity(quota, usage) } };
}

/** Returns the larger of two Kubernetes quantities, in its original notation. For maps, does this for each field. */
export function getLargerQuantity<T>(one: T, other: T): T {
  if (typeof one === "object" && one !== null) {
    const fields = Object.entries(one).map((
      [name, value],
    ) => [name, getLargerQuantity(value, (other as typeof one)[name as never])]);
    return Object.fromEntries(fields) as T;
  }
  return parseQuantity(String(other)) > parseQuantity(String(one)) ? other : one;
}

/** Returns the database disk's original size, which remains in the StatefulSet's immutable PVC template. */
function initialDatabaseDisk({ madeDatabaseDisk: initialSize, resources }: SpokeInputs): string {
  return initialSize ?? resources.disks.database;
}
