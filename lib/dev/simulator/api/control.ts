/**
 * Serves `/simulator/…`, through which people and tests inspect and disturb a running simulated cluster.
 *
 * `faults` adds and removes injected failures (listed in fault-types.ts). `writes` and `history` return recorded
 * requests and object changes as a JSON list, oldest first. Both accept `since` (only entries with a higher number) and
 * `limit`. `history` also accepts `kind`, `namespace` and `name`. If a response starts with a number above `since + 1`,
 * older entries are no longer stored.
 */
import { parseFault } from "#lib/dev/simulator/fault-types.ts";
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { WriteRecorder } from "#lib/dev/simulator/store/recorder.ts";

export function handleFaultRequest(
  faults: FaultRegistry,
  method: string,
  path: string,
  text: string | null,
): { status: number; body: Json } {
  const [, , what, id] = path.split("/");
  if (what !== "faults") {
    return {
      status: 404,
      body: { message: "Not found. Use /simulator/faults, /simulator/writes or /simulator/history" },
    };
  }
  if (method === "GET") return { status: 200, body: faults.list() };
  if (method === "POST") {
    const breakage = parseFault(parse(text ?? ""));
    if (typeof breakage !== "string") return { status: 201, body: { id: faults.add(breakage) } };
    return { status: 400, body: { message: `${breakage}; lib/dev/simulator/fault-types.ts lists the fault types` } };
  }
  if (method === "DELETE" && id !== undefined && id !== "") {
    return faults.remove(id) ? { status: 200, body: {} } : { status: 404, body: { message: `Fault ${id} not found` } };
  }
  if (method === "DELETE") {
    faults.clear();
    return { status: 200, body: {} };
  }
  return { status: 405, body: { message: "Use GET, POST or DELETE" } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Handles a request for `writes` or `history`. Returns null for any other path. */
export function handleRecordsRequest(
  recorder: WriteRecorder,
  method: string,
  url: URL,
): { status: number; body: Json } | null {
  const { pathname, searchParams: query } = url;
  if (pathname !== "/simulator/writes" && pathname !== "/simulator/history") return null;
  if (method !== "GET") return { status: 405, body: { message: "Use GET" } };
  const since = numberOf(query.get("since"), 0), limit = numberOf(query.get("limit"), Number.MAX_SAFE_INTEGER);
  if (since === null || limit === null) {
    return { status: 400, body: { message: "since and limit must be non-negative whole numbers" } };
  }
  if (pathname === "/simulator/writes") {
    return { status: 200, body: entriesAfter(recorder.writes(), since).slice(0, limit) };
  }
  const filters = ["kind", "namespace", "name"] as const;
  const found = entriesAfter(recorder.history(), since).filter((each) =>
    filters.every((field) => !query.has(field) || each[field] === query.get(field))
  );
  return { status: 200, body: found.slice(0, limit) };
}

/** Returns the entries numbered above `since`. Numbers are consecutive, so the first index can be computed. */
function entriesAfter<T extends { readonly n: number }>(entries: readonly T[], since: number): readonly T[] {
  const first = entries[0]?.n ?? 1;
  return entries.slice(Math.max(0, since + 1 - first));
}

function numberOf(text: string | null, otherwise: number): number | null {
  if (text === null) return otherwise;
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
