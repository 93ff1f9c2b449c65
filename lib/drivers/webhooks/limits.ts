/**
 * Limits what one receiver gets: how many messages at the same time, how many per second, and how soon after a failed
 * connection. A caller that gets no turn must come back later, so that it holds no lane while a receiver is slow.
 */
import { type CallLimiter, createCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { SECOND } from "#lib/base/time.ts";

/** The maximum number of messages that one webhook, and all webhooks with the same host, get at the same time. */
const PER_WEBHOOK = 4, PER_HOST = 8;
/** The number of messages per second that one host gets on average, and after a pause. */
const PER_SECOND = 20, BURST = 20;
/** The first and the longest pause of a webhook after a failed connection. The job of each hub also has its own delay. */
const FIRST_PAUSE = 2 * SECOND, MAX_PAUSE = 30 * SECOND;
const BUSY = SECOND, MAX_IDLE_HOSTS = 1000;

export interface ReceiverTurn {
  /** Resolves when the message may be sent. */
  readonly started: Promise<void>;
  /** Ends the turn. `connected` says whether the receiver answered. */
  leave(connected: boolean): void;
}

export interface ReceiverLimits {
  /** Returns a turn, or how long to wait before trying again. */
  enter(webhookId: string, host: string): ReceiverTurn | { readonly busyMs: number };
  close(): void;
}

interface HostLimit {
  active: number;
  readonly limiter: CallLimiter;
}

interface Pause {
  failures: number;
  until: number;
}

export function openReceiverLimits(now: () => number = () => performance.now()): ReceiverLimits {
  const hosts = new Map<string, HostLimit>(), active = new Map<string, number>(), pauses = new Map<string, Pause>();

  function hostOf(host: string): HostLimit {
    const found = hosts.get(host) ??
      {
        active: 0,
        limiter: createCallLimiter({ concurrency: PER_HOST, rate: { perSecond: PER_SECOND, burst: BURST } }),
      };
    hosts.delete(host); // moves the host to the end
    hosts.set(host, found);
    for (const [name, { active, limiter }] of hosts) {
      if (hosts.size <= MAX_IDLE_HOSTS) break;
      if (active === 0) (limiter.close(), hosts.delete(name));
    }
    return found;
  }

  return {
    enter(webhookId, hostName) {
      const pause = pauses.get(webhookId), count = active.get(webhookId) ?? 0, host = hostOf(hostName);
      if (pause && now() < pause.until) return { busyMs: pause.until - now() + Math.random() * BUSY };
      // While a receiver's connections fail, only one message at a time tries again.
      if (count >= (pause ? 1 : PER_WEBHOOK) || host.active >= PER_HOST) {
        return { busyMs: BUSY + Math.random() * BUSY };
      }
      active.set(webhookId, count + 1);
      host.active++;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      void host.limiter.run([], () => (start(), ended));
      return {
        started,
        leave(connected) {
          end();
          host.active--;
          const left = active.get(webhookId)! - 1;
          if (left === 0) active.delete(webhookId);
          else active.set(webhookId, left);
          if (connected) return void pauses.delete(webhookId);
          const failures = (pauses.get(webhookId)?.failures ?? 0) + 1;
          pauses.delete(webhookId);
          pauses.set(webhookId, { failures, until: now() + Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)) });
          if (pauses.size > MAX_IDLE_HOSTS) pauses.delete(pauses.keys().next().value!);
        },
      };
    },
    close() {
      for (const { limiter } of hosts.values()) limiter.close();
    },
  };
}
