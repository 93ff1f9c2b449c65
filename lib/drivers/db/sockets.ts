/**
 * The sockets of one client: exactly one for its session, and one more for the driver to cancel a statement over, once
 * that is allowed. The driver asks for each, and would ask for another after it lost the first.
 */
import { connect, type Socket } from "node:net";
import { SECOND } from "#lib/base/time.ts";

const KEEP_ALIVE = 30 * SECOND;

interface Sockets {
  open(at: { host: string[]; port: number[]; path?: string }): Promise<Socket>;
  /** Allows one more, or none any more. */
  allow(more: 0 | 1): void;
  /** Cuts the session. */
  cut(): void;
  cutAll(): void;
  /** Lets the session hear on: the driver leaves it paused where a copy ends faster than it was read. */
  resume(): void;
}

/** `onRefused` is told of a socket that was asked for and not allowed. */
export function openSockets(onRefused: (error: Error) => void): Sockets {
  let session: Socket | null = null;
  let second: Socket | null = null; // which cancels
  let allowed = 1; // how many the driver may still open

  return {
    async open({ host, port, path }) {
      if (allowed-- <= 0) {
        const error = new Error("A client has one connection only");
        queueMicrotask(() => onRefused(error));
        throw error;
      }
      const opened = path ? connect({ path }) : connect({ host: host[0]!, port: port[0]!, noDelay: true });
      opened.setKeepAlive(true, KEEP_ALIVE);
      if (session) second = opened;
      else session = opened;
      await new Promise<void>((resolve, reject) => {
        const onClose = () =>
          reject(Object.assign(new Error("The connection was closed at once"), { code: "ECONNRESET" }));
        opened.once("connect", resolve).once("error", reject).once("close", onClose);
      });
      opened.removeAllListeners();
      return Object.assign(opened, { host: host[0] }); // the name that TLS checks the certificate for
    },
    allow: (more) => void (allowed = more),
    cut: () => void session?.destroy(),
    resume: () => void session?.resume(),
    cutAll() {
      session?.destroy();
      second?.destroy();
    },
  };
}
