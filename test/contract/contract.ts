/** Compares the surface of the last release with the current one, finds breaking changes, and decides whether each may
 * be released.
 *
 * A breaking change may be released if the previous release deprecated the endpoint and its sunset has passed, or if
 * it is a listed exception. The check reads no clock: the dates come from the surfaces and the caller. */
import { compareEndpoints, type SurfacePair } from "#test/contract/compare-endpoints.ts";
import { type AnnouncementCheck, checkAnnouncement, parseDay } from "#test/contract/announcements.ts";
import { findMovedEndpoints, groupByAddress } from "#test/contract/endpoints.ts";
import { type ContractException, findException } from "#test/contract/exceptions.ts";
import type { Finding } from "#test/contract/findings.ts";
import type { Surface, SurfaceEndpoint } from "#test/contract/parse-surface.ts";
import { isUnchanged } from "#test/contract/schema-shapes.ts";

export interface CheckedFinding extends Finding {
  readonly check: AnnouncementCheck;
}

/** Returns every breaking change, with whether it may be released on the day `today` (an ISO date). */
export function checkContract(
  released: Surface,
  present: Surface,
  today: string,
  exceptions: readonly ContractException[] = [],
): readonly CheckedFinding[] {
  const before = groupByAddress(released), after = groupByAddress(present), day = parseDay(today);
  const surfaces = { before: released, after: present, isUnchanged: isUnchanged(released, present) };
  const gone = findMovedEndpoints(
    [...before].filter(([address]) => !after.has(address)).map(([, endpoint]) => endpoint),
    [...after].filter(([address]) => !before.has(address)).map(([, endpoint]) => endpoint),
  );
  return [
    ...gone.map(([was, found]) => [was, null, found] as const),
    ...[...before].flatMap(([address, was]) => {
      const is = after.get(address);
      return is && !isUntouched(was, is, surfaces)
        ? compareEndpoints(was, is, surfaces).map((found) => [was, is, found] as const)
        : [];
    }),
  ].map(([was, is, found]) => {
    const exception = findException(found, exceptions);
    const check = exception
      ? { allowed: true, reason: `Allowed once: ${exception.reason}` }
      : checkAnnouncement(was, is, day);
    return { ...found, operation: was.name, check };
  });
}

/** Whether the endpoint's lines and everything that they refer to are unchanged. Most changes affect few endpoints. */
function isUntouched(was: SurfaceEndpoint, is: SurfaceEndpoint, { before, after, isUnchanged }: SurfacePair): boolean {
  return before.common === after.common && was.lines.join("\n") === is.lines.join("\n") &&
    [...was.places.values()].every(isUnchanged);
}
