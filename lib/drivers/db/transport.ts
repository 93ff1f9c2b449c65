/**
 * Opens the byte stream to a PostgreSQL host: TCP or a Unix socket, with TLS if the address requires it. Each socket
 * keeps an error listener, because an unhandled error event ends the process. The driver's own TLS code would remove
 * that listener.
 */
import { readFile } from "node:fs/promises";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions, type SecureVersion } from "node:tls";
import type { DatabaseAddress, DatabaseHost, DatabaseTls } from "#lib/base/database-address.ts";
import type { TlsConnect } from "#lib/drivers/db/pausable-tls.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND } from "#lib/base/time.ts";

export interface Transport {
  /** Resolves when the connection, including TLS, is established. */
  readonly ready: Promise<Socket>;
  /** Closes the stream immediately, even if it is still being opened. */
  cut(): void;
}

const KEEP_ALIVE = 30 * SECOND;
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Opens a transport. `secure` starts TLS on the TCP socket. */
export function openTransport(
  address: DatabaseAddress,
  host: DatabaseHost,
  secure: TlsConnect = connectTls,
): Transport {
  let outermost: Socket | null = null, isCut = false;

  /** Adds an error listener that cannot be removed. Code that uses the socket listens to `close` instead. */
  function keepErrorListener<T extends Socket>(socket: T): T {
    const removeAll = socket.removeAllListeners.bind(socket);
    socket.removeAllListeners = (event?: string | symbol) => {
      if (event === undefined) removeAll();
      else removeAll(event);
      return socket.on("error", ignore);
    };
    socket.on("error", ignore);
    // Destroys a half-closed socket, which could wait forever because the server has stopped reading from it.
    socket.once("end", () => socket === outermost && socket.destroy());
    outermost = socket;
    if (isCut) socket.destroy();
    return socket;
  }

  async function dial(): Promise<Socket> {
    const { host: name, port } = host;
    const socket = keepErrorListener(
      name.startsWith("/")
        ? connectSocket({ path: `${name}/.s.PGSQL.${port}` })
        : connectSocket({ host: name, port, noDelay: true }),
    );
    socket.setKeepAlive(true, KEEP_ALIVE);
    await waitForEvent(socket, "connect");
    return socket;
  }

  async function open(): Promise<Socket> {
    const { mode, direct } = address.tls, socket = await dial();
    if (mode === "disable" || host.host.startsWith("/")) return socket;
    if (!direct) {
      const answer = await requestTls(socket);
      if (answer !== "S" && mode === "prefer") return answer === "N" ? socket : await dialAgain();
      if (answer !== "S") throw transportError(`The server does not support TLS, which sslmode=${mode} requires`);
    }
    try {
      const options = await tlsOptions(address.tls, host.host);
      if (isCut || socket.destroyed) throw transportError("The connection was closed before TLS began");
      const secured = keepErrorListener(secure({ ...options, socket }));
      await waitForEvent(secured, "secureConnect");
      return secured;
    } catch (error) {
      if (mode !== "prefer") throw transportError(`The TLS handshake failed: ${getErrorMessage(error)}`, error);
      return await dialAgain();
    }
  }

  /** Reconnects without TLS, as libpq does for sslmode=prefer. */
  async function dialAgain(): Promise<Socket> {
    outermost?.destroy();
    return await dial();
  }

  const ready = open().catch((error) => {
    cut();
    throw error;
  });
  ready.catch(() => {}); // avoids an unhandled rejection after cut()
  // Destroys only the outermost socket: Node.js 26 crashes if a TCP socket is destroyed before its TLS socket.
  const cut = () => {
    isCut = true;
    outermost?.destroy();
  };
  return { ready, cut };
}

function ignore(): void {}

/** Resolves when the socket emits the event. Rejects if the socket fails or closes first. */
function waitForEvent(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () =>
      done(() => reject(transportError("The connection was closed immediately", null, "ECONNRESET")));
    const onError = (error: Error) => done(() => reject(error));
    const onEvent = () => done(resolve);
    const done = (finish: () => void) => {
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      finish();
    };
    socket.once(event, onEvent).once("error", onError).once("close", onClose);
    if (socket.destroyed) onClose();
  });
}

/**
 * Requests TLS and returns the server's answer: S for yes, N for no, or another byte if the server does not know the
 * request. Any further bytes mean that an attacker injected data before encryption started (CVE-2021-23222).
 */
async function requestTls(socket: Socket): Promise<string> {
  const answer = await new Promise<Buffer>((resolve, reject) => {
    const onClose = () =>
      done(() => reject(transportError("The connection was closed immediately", null, "ECONNRESET")));
    // Removing this listener loses no data, because the server waits for the client's next message.
    const onData = (bytes: Buffer) => done(() => resolve(bytes));
    const done = (finish: () => void) => {
      socket.off("data", onData).off("close", onClose);
      finish();
    };
    socket.once("data", onData).once("close", onClose);
    socket.write(TLS_REQUEST);
  });
  const first = String.fromCharCode(answer[0]!);
  if (answer.length > 1 && first !== "E") throw transportError("The server sent data before TLS began");
  return first;
}

/** Reads the certificate files again for each connection, because certificates may be renewed at any time. */
async function tlsOptions(tls: DatabaseTls, host: string): Promise<ConnectionOptions> {
  const file = (path: string | null) => path === null ? undefined : readFile(path);
  const [ca, cert, key] = await Promise.all([file(tls.rootCert), file(tls.cert), file(tls.key)]);
  return {
    host,
    ...(isIP(host) === 0 && tls.sni ? { servername: host } : {}),
    rejectUnauthorized: tls.mode.startsWith("verify-"),
    // With sslmode=verify-ca, checks the certificate's issuer but not its host name.
    ...(tls.mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(tls.keyPassword ? { passphrase: tls.keyPassword } : {}),
    ...(tls.minVersion ? { minVersion: tls.minVersion as SecureVersion } : {}),
    ...(tls.maxVersion ? { maxVersion: tls.maxVersion as SecureVersion } : {}),
    ...(tls.direct ? { ALPNProtocols: ["postgresql"] } : {}),
  };
}

/** Creates an error with a code, so that faults.ts treats it as a lost connection and not as a bug. */
function transportError(message: string, cause: unknown = null, code = "EPROTO"): Error {
  return Object.assign(new Error(message, cause ? { cause } : {}), { code });
}
