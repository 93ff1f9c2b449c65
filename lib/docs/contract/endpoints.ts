/** Released operations that are at their address no more: gone, or moved to where a new one looks just like them. */
import type { Named, Operation } from "#lib/docs/contract/document.ts";
import type { Change } from "#lib/docs/contract/finding.ts";

/** What is to be said of each; `fresh` are the operations of the present document that stand where none was released. */
export function findMoved(
  gone: readonly Operation[],
  fresh: readonly Operation[],
): readonly (readonly [gone: Operation, found: Change])[] {
  const free = [...fresh];
  return gone.map((operation) => {
    const place = { where: "address", within: null };
    const [best, score] = free.map((other) => [other, likeness(operation, other)] as const)
      .sort(([, one], [, other]) => other - one)[0] ?? [null, 0];
    if (!best || score < ENOUGH) return [operation, { ...place, kind: "endpoint_removed", says: "It is gone" }];
    free.splice(free.indexOf(best), 1);
    const says = `It is gone; ${best.name} is new and looks like it: has it moved there?`;
    return [operation, { ...place, kind: "endpoint_moved", says }];
  });
}

const ENOUGH = 2;

/** That it says of itself the same is enough; that it takes and gives the same needs the same method or path with it. */
function likeness(one: Operation, other: Operation): number {
  const same = (read: (operation: Operation) => unknown) => read(one) !== undefined && read(one) === read(other);
  return (same(({ declaration }) => declaration.summary) ? 4 : 0) +
    (same(formOf) ? 1 : 0) +
    (same(({ address }) => address.split(" ")[1]) || same(({ method }) => method) ? 1 : 0);
}

/** What it takes and what it answers when it is done. Its path's parameters may be others. */
function formOf({ declaration, parameters }: Operation): string {
  const answers = Object.entries(declaration.responses ?? {}).filter(([status]) => /^[23]/.test(status));
  const taken = parameters.filter((one) => one.in !== "path");
  return JSON.stringify(
    [taken, declaration.requestBody, answers],
    (key, value: Named<unknown>) =>
      key === "description" || key === "example" || key === "examples" ? undefined : value,
  );
}
