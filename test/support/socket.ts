/** Opens a connection on which a test writes any bytes, unlike a well-behaved client. */
import { connect, type Socket } from "node:net";

export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  /** Resolves with everything received as soon as it matches. Rejects if the connection ends before. */
  received(pattern: RegExp): Promise<string>;
  /** Resolves with everything received when the server closes the connection. */
  readonly closed: Promise<string>;
}

export function openRawConnection(port: number): RawConnection {
  const socket = connect(port, "127.0.0.1");
  let text = "", over = false;
  const checks = new Set<() => void>();
  const look = () => checks.forEach((one) => one());
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    look();
  });
  socket.on("error", () => {}); // a reset counts as a normal end here
  const closed = new Promise<string>((resolve) =>
    socket.once("close", () => {
      over = true;
      look();
      resolve(text);
    })
  );
  return {
    socket,
    closed,
    write: (more) => void socket.write(more),
    received: (pattern) =>
      new Promise((resolve, reject) => {
        const one = () => {
          if (pattern.test(text)) resolve(text);
          else if (over) reject(new Error(`The connection ended without ${pattern}:\n${text}`));
          else return;
          checks.delete(one);
        };
        checks.add(one);
        one();
      }),
  };
}
