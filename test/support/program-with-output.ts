/** Runs the whole program in this process, with a database, a simulated cluster and a mail server. Records the
 * program's log, metrics and traces. */
import { type Config, readConfig } from "#lib/base/config.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { createProgram, type Program } from "#src/compose.ts";
import { readGauges } from "#src/read-gauges.ts";
import { openServer } from "#src/server.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { type Collector, openCollector } from "#test/support/collector.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { openSmtpServer, type SmtpServer, type SmtpServerOptions } from "#test/support/smtp.ts";
import { until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

/** The part of a log entry that tests use. */
interface Entry {
  readonly level: string;
  readonly message: string;
  readonly requestId?: string;
  readonly operation?: string;
  readonly traceId?: string;
  readonly kind?: string;
}

export interface ProgramWithOutput {
  readonly config: Config;
  readonly program: Program;
  readonly db: TestDatabase;
  readonly simulator: Simulator;
  readonly smtp: SmtpServer;
  readonly collector: Collector;
  readonly operator: TestUser;
  /** All log entries so far, parsed (`log`) and as text (`lines`). */
  readonly log: readonly Entry[];
  readonly lines: readonly string[];
  metrics(): Promise<string>;
  /** Sends a request as the operator, unless `headers` contains other credentials. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ClientResponse>;
  /** Resolves when the spoke reaches this state. */
  becomes(spokeId: string, state: string): Promise<void>;
  /** Stops the program, but not the database, cluster and mail server. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const MINUTE = 60_000;

/** Changes that a test can make to the program's environment. */
export interface ProgramEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly smtp?: SmtpServerOptions;
  /** Changes the kubeconfig text before the program receives it. */
  readonly kubeconfig?: (text: string) => string;
}

export async function openProgramWithOutput(surroundings: ProgramEnvironment = {}): Promise<ProgramWithOutput> {
  const { env = {}, kubeconfig = (text) => text } = surroundings;
  const db = await openTestDatabase(), simulator = await openSimulator({ delayMs: 5, log: SILENT_LOG });
  const smtp = await openSmtpServer(surroundings.smtp), collector = await openCollector();
  const config = readConfig({
    mode: "serve",
    env: {
      PUBLIC_URL: "http://localhost:3000",
      ROOT_DOMAIN: "spokes.example.org",
      DATABASE_URL: db.url,
      KUBECONFIG: "-",
      TEMPLATES: "off",
      PORTAL: "on",
      SIGNUP: "on",
      ...smtp.env,
      ...collector.env,
      ...env,
    },
    terminal: false,
  });
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => void lines.push(line) });
  const program = await createProgram(config, { text: kubeconfig(simulator.kubeconfig()) }, log);
  const server = openServer(program.app, program.manifest, { calls: program.calls });
  const operator = await createTestUser(db, "operator", { operator: true });
  const { plaintext } = await createTestToken(db, operator, "cli");
  const stop = async () => {
    await program.drain(MINUTE);
    await program.close();
  };
  return {
    config,
    program,
    db,
    simulator,
    smtp,
    collector,
    operator,
    lines,
    get log() {
      return lines.map((line) => JSON.parse(line));
    },
    async send(method, path, body, headers = { authorization: `Bearer ${plaintext}` }) {
      const type = body !== undefined && { "content-type": "application/json" };
      const response = await server.request(
        new Request(new URL(path, config.publicUrl), {
          method,
          headers: { ...type, ...headers },
          ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        }),
      );
      const text = await response.text(), json = response.headers.get("content-type")?.startsWith("application/json");
      return { status: response.status, headers: response.headers, body: text && json ? JSON.parse(text) : text };
    },
    async metrics() {
      const { registry, fleet } = program.metrics!;
      return await registry.text(readGauges(program, fleet.last(), server));
    },
    async becomes(id, state) {
      await until(async () => {
        const [row] = await selectRows(db, "spokes", { id }, { columns: ["state"] });
        return row?.state === state;
      }, MINUTE);
    },
    stop,
    async close() {
      await stop();
      for (const each of [simulator, smtp, collector, db]) await each.close();
    },
  };
}
