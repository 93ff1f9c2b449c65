/**
 * Opens TLS sockets that the driver can pause when rows arrive faster than they are read. In Deno 2.9.5, a paused TLS
 * socket can miss the end of its data. On Deno, the underlying TCP socket is therefore paused instead.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";

/** Starts TLS on the given socket. */
export type TlsConnect = (options: Omit<ConnectionOptions, "socket"> & { readonly socket: Socket }) => TLSSocket;

export const connectPausableTls: TlsConnect = (options) =>
  "Deno" in globalThis ? connectAbovePausedTcp(options) : connect(options);

function connectAbovePausedTcp(options: Parameters<TlsConnect>[0]): TLSSocket {
  const { socket } = options;
  let paused = false;
  const encrypted = new Duplex({
    read() {
      if (!paused) socket.resume();
    },
    write: (bytes, _, done) => void socket.write(bytes, done),
    final: (done) => void socket.end(done),
  });
  encrypted.on("error", () => {}); // the TLS socket reports the same error
  socket.on("data", (bytes) => void (encrypted.push(bytes) || socket.pause()));
  socket.once("end", () => encrypted.push(null));
  const secured = connect({ ...options, socket: encrypted });
  socket.once("close", () => {
    if (!socket.readableEnded) secured.destroy();
  });
  secured.once("close", () => socket.destroy());
  const flow = secured.resume.bind(secured); // the first `data` listener calls `resume` to start reading
  return Object.assign(secured, {
    pause() {
      paused = true;
      socket.pause();
      return secured;
    },
    resume() {
      paused = false;
      socket.resume();
      return flow();
    },
    isPaused: () => paused,
  });
}
