/**
 * Limits the number of request bodies that are still being received, in total and per network. When too many bodies are
 * incomplete, the oldest ones are cut off. This affects slow senders, but not bodies that arrive without delay.
 */
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import { SECOND } from "#lib/base/time.ts";

/** The maximum memory for incomplete bodies, in bytes. Divided by the maximum body size, it limits their number. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20;
const NETWORK_FRACTION = 4; // a single network may send 1/4 of the bodies
const GRACE = SECOND; // milliseconds before an incomplete body may be cut off

export interface IncompleteBodyLimit {
  /** Counts a body as incomplete until the returned function is called. If too many are, `cut` is called to end it. */
  track(address: string, cut: () => void): () => void;
}

interface Body {
  readonly network: string;
  readonly since: number;
  readonly cut: () => void;
}

/** Creates a limit on incomplete bodies. `bodyLimit` is the maximum size of a single body in bytes. */
export function createIncompleteBodyLimit(
  bodyLimit: number,
  {
    most = Math.max(NETWORK_FRACTION, Math.floor(MAX_UNREAD_BYTES / bodyLimit)),
    grace = GRACE,
    now = () => performance.now(),
  } = {},
): IncompleteBodyLimit {
  const share = Math.floor(most / NETWORK_FRACTION);
  const all = new Set<Body>(), byNetwork = new Map<string, Set<Body>>(); // in order of arrival
  let timer: ReturnType<typeof setTimeout> | undefined;

  function close(body: Body): void {
    const ownBodies = byNetwork.get(body.network);
    if (!all.delete(body) || !ownBodies) return;
    ownBodies.delete(body);
    if (ownBodies.size === 0) byNetwork.delete(body.network);
  }

  function cutOldest(bodies: ReadonlySet<Body>, bound: number): void {
    for (const body of bodies) {
      if (bodies.size <= bound || now() - body.since < grace) return;
      close(body);
      body.cut();
    }
  }

  function cutExcess(): void {
    timer = undefined;
    for (const networkBodies of byNetwork.values()) cutOldest(networkBodies, share);
    cutOldest(all, most);
    if (all.size > most || [...byNetwork.values()].some((networkBodies) => networkBodies.size > share)) {
      timer = setTimeout(cutExcess, grace);
    }
  }

  return {
    track(address, cut) {
      const body: Body = { network: getCallerNetwork(address), since: now(), cut };
      const networkBodies = byNetwork.get(body.network) ?? new Set();
      byNetwork.set(body.network, networkBodies.add(body));
      all.add(body);
      if (networkBodies.size > share || all.size > most) timer ??= setTimeout(cutExcess, grace);
      return () => close(body);
    },
  };
}
