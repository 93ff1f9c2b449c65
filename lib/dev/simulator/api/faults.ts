/** `/simulator/faults`: breaking and healing things in a running cluster, by hand; see breakage.ts for what there is. */
import { readBreakage } from "#lib/dev/simulator/breakage.ts";
import type { Faults } from "#lib/dev/simulator/faults.ts";
import type { Json } from "#lib/dev/simulator/object.ts";

export function answerFaults(
  faults: Faults,
  method: string,
  path: string,
  text: string | null,
): { status: number; body: Json } {
  const [, , what, id] = path.split("/");
  if (what !== "faults") return { status: 404, body: { message: "There are /simulator/faults, /writes and /history" } };
  if (method === "GET") return { status: 200, body: faults.list() };
  if (method === "POST") {
    const breakage = readBreakage(parse(text ?? ""));
    if (typeof breakage !== "string") return { status: 201, body: { id: faults.add(breakage) } };
    return { status: 400, body: { message: `${breakage}; lib/dev/simulator/breakage.ts lists what can be broken` } };
  }
  if (method === "DELETE" && id !== undefined && id !== "") {
    return faults.heal(id) ? { status: 200, body: {} } : { status: 404, body: { message: `No fault ${id}` } };
  }
  if (method === "DELETE") {
    faults.clear();
    return { status: 200, body: {} };
  }
  return { status: 405, body: { message: "GET, POST or DELETE" } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
