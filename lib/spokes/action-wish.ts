/** What an action is asked to lead to, checked against the spoke as it stands. What it is made of is resolved when it runs. */
import type { App } from "#lib/app.ts";
import { compareVersions } from "#lib/blueprint/sizes.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { Fault } from "#lib/errors.ts";
import { refuseUnlisted } from "#lib/federations/choices.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/spokes/store.ts";
import type { SpokeAction } from "#lib/spokes/views.ts";

/** An action and what it is to lead to, as far as that can be said without the spoke. */
export interface ActionRequest {
  readonly action: SpokeActionName;
  /** The payload of its job. */
  readonly wish: object;
}

/** The payload of an upgrade's job. */
export interface UpgradeWish {
  readonly lmsVersion: string;
  readonly skipBackup: boolean;
}

/** The payload of a resize's job. */
export interface ResizeWish {
  readonly size: string;
}

/** Of the request alone: throws Fault invalid where something is missing, contradictory, or not on offer. */
export function readWish({ catalog }: Pick<App, "catalog">, asked: SpokeAction): object {
  if (asked.action === "upgrade") {
    const { lmsVersion, moodleVersion, skipBackup } = asked, version = lmsVersion ?? moodleVersion;
    if (lmsVersion !== undefined && moodleVersion !== undefined && lmsVersion !== moodleVersion) {
      const message = "lmsVersion and moodleVersion are two names for one thing, and must agree where both are given";
      throw new Fault("invalid", "version_mismatch", message);
    }
    if (version === undefined) throw needed("lmsVersion", "upgrade", "the version to go to");
    refuseUnlisted(catalog, { lmsVersion: version });
    return { lmsVersion: version, skipBackup: skipBackup ?? false } satisfies UpgradeWish;
  }
  if (asked.action === "resize") {
    if (asked.size === undefined) throw needed("size", "resize", "the size to have");
    refuseUnlisted(catalog, { size: asked.size });
    return { size: asked.size } satisfies ResizeWish;
  }
  return {};
}

/**
 * Of this spoke: throws Fault conflict for the version that it runs, and impossible for an older one, or for the size that it has
 * or has been asked to take. `size` is that one.
 */
export function demandProgress(
  { catalog }: Pick<App, "catalog">,
  spoke: Pick<SpokeRow, "lms_version" | "blueprint_inputs">,
  { size }: { readonly size: string },
  { action, wish }: ActionRequest,
): void {
  if (action === "upgrade") demandNewer(catalog, spoke, (wish as UpgradeWish).lmsVersion);
  if (action === "resize" && (wish as ResizeWish).size === size) {
    throw new Fault("impossible", "size_unchanged", `Cannot resize to ${size}: it has that size already`);
  }
}

/**
 * What counts is what the versions resolve to, for `4.5` may be today's 4.5.13 and the 4.5.12 of when the spoke was made: then
 * an upgrade from 4.5 to 4.5 is one. Where only the image is another (a rebuilt or a mirrored one), the same version can be
 * gone to as well: nothing else would lead there. What the database itself says is seen when the upgrade runs.
 */
function demandNewer(
  catalog: Catalog,
  spoke: Pick<SpokeRow, "lms_version" | "blueprint_inputs">,
  version: string,
): void {
  const image = catalog.imagesOf(version).moodle, present = spoke.blueprint_inputs.images.moodle;
  const runs = releaseOf(catalog, present) ?? spoke.lms_version;
  const target = releaseOf(catalog, image) ?? version;
  if (image === present) {
    throw new Fault("conflict", "version_unchanged", `Cannot upgrade to ${version}: it runs ${runs} already`);
  }
  // Whether the 4.5 that is on offer is newer than 4.5.12 is seen when it runs.
  if (compareVersions(target, runs) < 0 && !runs.startsWith(`${target}.`)) {
    const why = `it runs ${runs}, and Moodle's data cannot go back to an older version`;
    throw new Fault("impossible", "version_not_newer", `Cannot upgrade to ${version}: ${why}`);
  }
}

/** The version on offer that has this image. */
function releaseOf(catalog: Catalog, image: string): string | null {
  return catalog.view.versions.find(({ name }) => catalog.imagesOf(name).moodle === image)?.name ?? null;
}

function needed(field: string, action: string, what: string): Fault {
  return new Fault("invalid", "parameter_needed", `${field} must be given to ${action}: ${what}`);
}
