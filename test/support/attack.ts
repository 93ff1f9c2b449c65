/** Prepares an attack on the real server, which runs as a process. Also sends ordinary requests and measures memory.
 *
 *   const attack = await openAttack();
 *   const { status } = await attack.call(attack.token, "GET", "/api/auth/me");
 *   await attack.close(); */
import { readFile } from "node:fs/promises";
import { type Bench, type BenchOptions, openBench } from "#test/support/bench/bench.ts";
import { createTestToken, createTestUser, type TestToken, type TestUser } from "#test/support/users.ts";
import { openRawConnection, type RawConnection } from "#test/support/socket.ts";

export interface AttackResponse {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
  readonly headers: Headers;
}

export interface Attack extends Bench {
  readonly url: string;
  readonly port: number;
  /** Creates another user with a token. */
  person(name: string, operator?: boolean): Promise<TestUser & { readonly token: TestToken }>;
  /** Sends a single request as an ordinary caller. If the token is null, sends no credentials. */
  call(token: string | null, method: string, path: string, body?: unknown): Promise<AttackResponse>;
  /** Whether the readiness probe succeeds. Tolerates late scheduler heartbeats, as on a busy machine. */
  isReady(): Promise<boolean>;
  /** Opens a connection on which the attacker can send arbitrary bytes. */
  connect(): RawConnection;
  /** Returns the memory usage of the server's process, in MiB. */
  memory(): Promise<number>;
}

export async function openAttack(options: Partial<BenchOptions> = {}): Promise<Attack> {
  const bench = await openBench({ replicas: 1, delayMs: 20, ...options });
  const [replica] = bench.replicas, { url } = replica!, port = Number(new URL(url).port);
  const connections: RawConnection[] = [];
  const call: Attack["call"] = async (token, method, path, body) => {
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(new URL(path, url), { method, headers, ...sent });
    const text = await response.text(), json = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  };
  return {
    ...bench,
    call,
    async isReady() {
      const { status, body } = await call(null, "GET", "/api/readyz");
      return status === 200 || body.message === "Not ready: scheduler";
    },
    url,
    port,
    async person(name, operator = false) {
      const person = await createTestUser(bench.db, name, { operator });
      return { ...person, token: await createTestToken(bench.db, person, "cli") };
    },
    connect() {
      const connection = openRawConnection(port);
      connections.push(connection);
      return connection;
    },
    async memory() {
      const status = await readFile(`/proc/${replica!.pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
    },
    async close() {
      for (const { socket } of connections) socket.destroy();
      await bench.close();
    },
  };
}
