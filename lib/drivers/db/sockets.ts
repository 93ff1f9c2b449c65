/**
 * Opens the sockets for one client: one for its session, and one to cancel a statement. After the session's socket is
 * lost, the driver gets no new socket, so that it cannot reconnect.
 */
import type { Socket } from "node:net";
import type { DatabaseAddress, DatabaseHost } from "#lib/base/database-address.ts";
import type { TlsConnect } from "#lib/drivers/db/pausable-tls.ts";
import { openTransport, type Transport } from "#lib/drivers/db/transport.ts";

interface Sockets {
  open(): Promise<Socket>;
  /** Sets how many more sockets the driver may open. */
  allow(more: 0 | 1): void;
  cut(): void;
  cutAll(): void;
  /** Resumes reading from the session's socket, which stays paused if a COPY's output was not read to the end. */
  resume(): void;
}

/** Calls `onRefused` with an error when the driver tries to open a socket that is not allowed. */
export function openSockets(
  address: DatabaseAddress,
  host: DatabaseHost,
  onRefused: (error: Error) => void,
  secure?: TlsConnect,
): Sockets {
  let session: Transport | null = null;
  let second: Transport | null = null; // the socket that cancels a statement
  let stream: Socket | null = null; // the session's byte stream
  let allowed = 1; // the number of sockets that the driver may still open

  return {
    async open() {
      if (allowed-- <= 0) {
        const error = new Error("A client must not open a second connection");
        queueMicrotask(() => onRefused(error));
        throw error;
      }
      const opened = openTransport(address, host, secure);
      if (session) return await (second = opened).ready;
      session = opened;
      return stream = await opened.ready;
    },
    allow: (more) => void (allowed = more),
    cut: () => session?.cut(),
    resume: () => void stream?.resume(),
    cutAll() {
      session?.cut();
      second?.cut();
    },
  };
}
