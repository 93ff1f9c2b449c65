/**
 * The check that keeps what was promised: compares the surface of the last release with the present one, finds what
 * breaks those who call, and says which of it may go out.
 *
 * A breaking change may go out when the release before declared the endpoint deprecated, and the day that it named has
 * come; or when it is one of the exceptions that are given. The days are those of the surfaces and of whoever asks;
 * nothing here looks at a clock.
 */
import { compareEndpoints, type Whole } from "#test/contract/compare.ts";
import { dayOf, judge, type Verdict } from "#test/contract/declared.ts";
import { byAddress, findMoved } from "#test/contract/endpoints.ts";
import { type Exception, exceptionFor } from "#test/contract/exceptions.ts";
import type { Finding } from "#test/contract/place.ts";
import type { Endpoint, Surface } from "#test/contract/read.ts";
import { unchangedIn } from "#test/contract/shapes.ts";

export interface Judged extends Finding {
  readonly verdict: Verdict;
}

/** Every breaking change, with whether it may go out on the day `today` (an ISO date). */
export function checkContract(
  released: Surface,
  present: Surface,
  today: string,
  exceptions: readonly Exception[] = [],
): readonly Judged[] {
  const before = byAddress(released), after = byAddress(present), day = dayOf(today);
  const whole = { before: released, after: present, isUnchanged: unchangedIn(released, present) };
  const gone = findMoved(
    [...before].filter(([address]) => !after.has(address)).map(([, endpoint]) => endpoint),
    [...after].filter(([address]) => !before.has(address)).map(([, endpoint]) => endpoint),
  );
  return [
    ...gone.map(([was, found]) => [was, null, found] as const),
    ...[...before].flatMap(([address, was]) => {
      const is = after.get(address);
      return is && !isUntouched(was, is, whole)
        ? compareEndpoints(was, is, whole).map((found) => [was, is, found] as const)
        : [];
    }),
  ].map(([was, is, found]) => {
    const exception = exceptionFor(found, exceptions);
    const verdict = exception ? { allowed: true, says: `Allowed this once: ${exception.why}` } : judge(was, is, day);
    return { ...found, operation: was.name, verdict };
  });
}

/** It is the same line by line, and so is all that the lines mean: one change is of a few endpoints. */
function isUntouched(was: Endpoint, is: Endpoint, { before, after, isUnchanged }: Whole): boolean {
  return before.common === after.common && was.lines.join("\n") === is.lines.join("\n") &&
    [...was.places.values()].every(isUnchanged);
}
