/**
 * Bodies that are still to come: so many at once, and so many of one network. When there are more, those that have been
 * waited for longest are cut off, and not those that come last: a body that is sent at once is never among them, however
 * many come together, and one that is held back on purpose is.
 */
import { networkOf } from "#lib/base/limits/address.ts";
import { SECOND } from "#lib/base/time.ts";

/** Bytes of unread bodies that the process may hold; with the bound of one body this gives how many there may be. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20;
const NETWORK_FRACTION = 4; // a network has one part in so many
const GRACE = SECOND; // milliseconds that any body has

export interface UnreadBodies {
  /** Counts a body as unread until what it returns is called. `cut` is called when there are too many. */
  track(address: string, cut: () => void): () => void;
}

interface Body {
  readonly network: string;
  readonly since: number;
  readonly cut: () => void;
}

/** `bodyLimit` is the bound of one body in bytes. */
export function openUnreadBodies(
  bodyLimit: number,
  {
    most = Math.max(NETWORK_FRACTION, Math.floor(MAX_UNREAD_BYTES / bodyLimit)),
    grace = GRACE,
    now = () => performance.now(),
  } = {},
): UnreadBodies {
  const share = Math.floor(most / NETWORK_FRACTION);
  const all = new Set<Body>(), byNetwork = new Map<string, Set<Body>>(); // a Set keeps the order of arrival
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
    for (const own of byNetwork.values()) cutOldest(own, share);
    cutOldest(all, most);
    if (all.size > most || [...byNetwork.values()].some((own) => own.size > share)) {
      timer = setTimeout(cutExcess, grace);
    }
  }

  return {
    track(address, cut) {
      const body: Body = { network: networkOf(address), since: now(), cut };
      const own = byNetwork.get(body.network) ?? new Set();
      byNetwork.set(body.network, own.add(body));
      all.add(body);
      if (own.size > share || all.size > most) timer ??= setTimeout(cutExcess, grace);
      return () => close(body);
    },
  };
}
