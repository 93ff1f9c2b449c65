/**
 * Marks the blueprint revision of a spoke whose site does not have what the hub's tier sets. With a mark, the revision
 * differs from the current one, so the spoke counts as outdated until the blueprint is reapplied.
 */

/** The tier has changed since the blueprint was applied. */
export const TIER_CHANGED_MARK = "+tier";
/** A reapply has started to bring the tier's values to the site, and has not succeeded yet. */
export const TIER_STARTED_MARK = "+moving";

/** Returns the revision of the blueprint that the site's objects were rendered from. */
export function removeTierMark(revision: string): string {
  const at = revision.indexOf("+");
  return at < 0 ? revision : revision.slice(0, at);
}
