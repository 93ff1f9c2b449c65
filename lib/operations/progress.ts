/** Declares the values that operations of several kinds save in their progress. */
import * as v from "valibot";
import { SpokeInputs } from "#lib/moodle/inputs.ts";

/** The state of a spoke that was read from the cluster after an operation failed. */
export const StateAfterFailure = v.object({
  state: v.picklist(["active", "suspended", "failed"]),
  health: v.picklist(["healthy", "degraded", "unknown"]),
  /** Whether the site is in maintenance mode; undefined if this was not checked or cannot have changed. */
  maintenance: v.optional(v.boolean()),
  /** Whether the site was returned to its previous domain; only after a change of settings. */
  isBack: v.optional(v.boolean()),
});
export type StateAfterFailure = v.InferOutput<typeof StateAfterFailure>;

/** The digest of the image that the site runs; null if the cluster did not report it. */
export const IMAGE_DIGEST = { imageDigest: v.nullable(v.string()) };

/**
 * The number of parts (plugins and components) of Moodle that were installed or upgraded. `way` is the image that is
 * installed, or the versions before and after the upgrade.
 */
export const MOODLE_PARTS = { parts: v.object({ way: v.string(), count: v.number() }) };

/** The names of the Kubernetes Jobs that this operation created to install Moodle. */
export const INSTALLATION = { ...MOODLE_PARTS, installs: v.array(v.string()) };

/** The volumes of the PVCs in a namespace. A PVC's UID distinguishes its volume from a later one with the same name. */
export const RECORDED_VOLUMES = {
  volumes: v.array(v.object({ claim: v.string(), claimUid: v.string(), volume: v.string() })),
};

/** A removal saves when it last reported that it did not finish, in ISO 8601 format. */
export const REMOVAL = { ...RECORDED_VOLUMES, notifiedAt: v.string() };

/** A sandbox: the cluster's identity, saved before the namespace is created, and the namespace's UID, saved afterwards. */
export const SANDBOX = {
  ...RECORDED_VOLUMES,
  sandbox: v.object({ cluster: v.nullable(v.string()), uid: v.nullable(v.string()) }),
};

/** The blueprint inputs of a spoke that depend on its size. */
export const SizeDependentInputs = v.pick(SpokeInputs, ["size", "resources", "madeDatabaseDisk"]);
export type SizeDependentInputs = v.InferOutput<typeof SizeDependentInputs>;
