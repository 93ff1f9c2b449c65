/** Sets up a server of the complete API, a proxy in front of it, and clients that use the proxy. */
import { type AddressInfo, createServer } from "node:net";
import {
  connect,
  type ConnectOptions,
  type RetryNotice,
  type Wheelwright,
  WheelwrightError,
} from "#lib/client/client.ts";
import type { TokenScope } from "#lib/domains/auth/access.ts";
import type { Manifest } from "#lib/http/endpoint.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { createTestToken } from "#test/support/users.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { rejection } from "#test/support/until.ts";

export interface Stage {
  readonly scene: Scene;
  readonly proxy: TcpProxy;
  /** The retry notices of its clients. */
  readonly retries: RetryNotice[];
  as(who: SceneRole, more?: Partial<ConnectOptions>, scope?: TokenScope): Promise<Wheelwright>;
  /** A client without a token. */
  stranger(more?: Partial<ConnectOptions>): Wheelwright;
  close(): Promise<void>;
}

/** Retries without waiting. */
export const hasty: Partial<ConnectOptions> = { pause: () => Promise.resolve(), random: () => 0 };

export async function openStage(routes: Manifest = manifest): Promise<Stage> {
  const scene = await openScene();
  const server = openServer(scene.app, routes, { isSchedulerReady: () => true });
  const listening = await server.listen({ host: "127.0.0.1", port: 0 });
  const proxy = await openProxy(`http://127.0.0.1:${listening.port}`), retries: RetryNotice[] = [];
  const stranger = (more: Partial<ConnectOptions> = {}) =>
    connect({ url: proxy.url, onRetry: (retry) => void retries.push(retry), ...hasty, ...more });
  return {
    scene,
    proxy,
    retries,
    stranger,
    async as(who, more, scope = "cli") {
      const { plaintext } = await createTestToken(scene.db, scene.people[who], scope);
      return stranger({ token: plaintext, ...more });
    },
    async close() {
      await proxy.close();
      scene.app.feeds.close();
      await listening.close(0);
      await scene.close();
    },
  };
}

/** A server that sends one fixed response per connection, unchanged, and then closes it. */
export async function openPuppet(answers: readonly string[]) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      requests.push(bytes.toString("latin1"));
      socket.end(answers[requests.length - 1] ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The headers of the received requests. */
    asked: requests,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Returns a complete response. */
export function answer(status: string, body: string, headers: readonly string[] = []): string {
  const type = body.startsWith("{") ? "application/json" : "text/html";
  return [
    `HTTP/1.1 ${status}`,
    ...[`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`, "connection: close", ...headers],
    "",
    body,
  ].join("\r\n");
}

/** Returns the WheelwrightError of a call. Throws if the call succeeded or failed with another error. */
export async function refused(call: Promise<unknown>): Promise<WheelwrightError> {
  const error = await rejection(call);
  if (error instanceof WheelwrightError) return error;
  throw error;
}
