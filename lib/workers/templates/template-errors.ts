/** Distinguishes errors of a template from errors that affect only one site. */
import { STORAGE_FULL_PATTERN } from "#lib/recovery/volumes/storage-full.ts";
import type { StepError } from "#lib/steps/site.ts";

/** Error codes of a faulty template: a snapshot failed, or the container that adapts the template's data failed. */
const TEMPLATE_ERRORS = new Set([
  ...["SnapshotGone", "SnapshotFailed", "NoSnapshotClass", "DiskTooSmall", "OtherDriver", "Incomplete"],
  ...["another_cluster", "NoSiteInSnapshot", "DatabaseDamaged", "OtherPostgres", "DatabaseMissing"],
]);

/**
 * Returns whether the error would also affect other spokes that use this template. Returns false for an error that
 * affects only one spoke, such as a full quota or node.
 */
export function isTemplateError({ code, message }: StepError): boolean {
  if (TEMPLATE_ERRORS.has(code)) return true;
  if (code === "deadline") return message.startsWith("Waiting for VolumeSnapshot ");
  if (code === "ProvisioningFailed") return /snapshot/i.test(message) && !STORAGE_FULL_PATTERN.test(message);
  return code === "CrashLoopBackOff" && /\bcontainer adopt\b/.test(message);
}
