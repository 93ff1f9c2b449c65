/**
 * Opens TLS sockets that can be paused, as the driver does while rows arrive faster than they are read. Deno 2.9.5 can
 * lose the end of a paused TLS socket. So on Deno the TCP socket below TLS is paused instead, through a stream between
 * the two sockets.
 */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";

/** Begins TLS over the socket. */
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
  encrypted.on("error", () => {}); // the TLS socket reports it
  socket.on("data", (bytes) => void (encrypted.push(bytes) || socket.pause()));
  socket.once("end", () => encrypted.push(null));
  const secured = connect({ ...options, socket: encrypted });
  socket.once("close", () => {
    if (!socket.readableEnded) secured.destroy();
  });
  secured.once("close", () => socket.destroy());
  const flow = secured.resume.bind(secured); // the first `data` listener calls this to start reading
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
