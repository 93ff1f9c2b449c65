/** Opens a TCP connection on which a test can send arbitrary bytes, even invalid requests. */
import { connect, type Socket } from "node:net";

export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  /** Resolves with all received text as soon as the text matches. Rejects if the connection closes earlier. */
  received(pattern: RegExp): Promise<string>;
  /** Resolves with all received text when the server closes the connection. */
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
  socket.on("error", () => {}); // here, a reset is a normal end of the connection
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
          else if (over) reject(new Error(`The connection ended without a response that matches ${pattern}:\n${text}`));
          else return;
          checks.delete(one);
        };
        checks.add(one);
        one();
      }),
  };
}
