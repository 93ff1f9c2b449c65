/**
 * The check that keeps what was promised: compares the document of the last release with the present one, finds what
 * breaks those who call, and says which of it may go out.
 *
 * A breaking change may go out when the release before declared the operation deprecated, and the day that it named has
 * come (spec 9.2); or when it is one of the exceptions that are given. The days are those of the documents and of whoever
 * asks; nothing here looks at a clock.
 */
import { compareAnswers } from "#lib/docs/contract/answers.ts";
import { compareCredentials } from "#lib/docs/contract/credentials.ts";
import { dayOf, judge, type Verdict } from "#lib/docs/contract/declared.ts";
import { type OpenApiDocument, type Operation, operationsOf } from "#lib/docs/contract/document.ts";
import { findMoved } from "#lib/docs/contract/endpoints.ts";
import { type Exception, exceptionFor } from "#lib/docs/contract/exceptions.ts";
import type { Change, Finding } from "#lib/docs/contract/finding.ts";
import { change, type Place } from "#lib/docs/contract/place.ts";
import { compareRequests } from "#lib/docs/contract/requests.ts";
import { type Shapes, shapesOf } from "#lib/docs/contract/shapes.ts";
import { unchangedBetween } from "#lib/docs/contract/unchanged.ts";

export interface Judged extends Finding {
  readonly verdict: Verdict;
}

/** Every breaking change, with whether it may go out on the day `today` (an ISO date). */
export function checkContract(
  released: OpenApiDocument,
  present: OpenApiDocument,
  today: string,
  exceptions: readonly Exception[] = [],
): readonly Judged[] {
  const was = operationsOf(released), is = operationsOf(present), day = dayOf(today);
  const before = byAddress(was), now = byAddress(is);
  const shapes = { was: shapesOf(released), is: shapesOf(present) }, unchanged = unchangedBetween(released, present);
  const gone = findMoved(
    was.filter(({ address }) => !now.has(address)),
    is.filter(({ address }) => !before.has(address)),
  );
  return [
    ...gone.map(([once, found]) => [once, null, found] as const),
    ...was.flatMap((once) => {
      const then = now.get(once.address);
      if (!then || unchanged(once, then)) return [];
      return compareOperations(once, then, shapes).map((found) => [once, then, found] as const);
    }),
  ].map(([once, then, found]) => {
    const exception = exceptionFor(found, exceptions);
    const verdict = exception ? { allowed: true, says: `Allowed this once: ${exception.why}` } : judge(once, then, day);
    return { ...found, operation: once.name, verdict };
  });
}

function byAddress(operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  return new Map(operations.map((operation) => [operation.address, operation]));
}

type Pair = Readonly<Record<"was" | "is", Shapes>>;

function compareOperations(once: Operation, then: Operation, shapes: Pair): readonly Change[] {
  const request: Place = { ...shapes, direction: "request", root: "address", path: "", within: null, above: [] };
  return [
    ...compareAddresses(once, then, request),
    ...compareCredentials(once, then, request),
    ...compareRequests(once, then, request),
    ...compareAnswers(once, then, { ...request, direction: "response" }),
  ];
}

/** An endpoint that stayed may be at fewer addresses than it was. */
function compareAddresses(once: Operation, then: Operation, at: Place): readonly Change[] {
  const servers = once.servers.filter((url) => !then.servers.includes(url)).map((url) => `under the server ${url}`);
  const others = then.declaration["x-aliases"] ?? [];
  const aliases = (once.declaration["x-aliases"] ?? []).filter((path) => !others.includes(path)).map((path) =>
    `at ${path}`
  );
  return [...servers, ...aliases].map((address) => change(at, "endpoint_moved", `It is no longer ${address}`));
}
