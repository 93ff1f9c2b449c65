/** Sets up the request bench: a filled database, Wheelwright, and peers with the same API. */
import { join } from "node:path";
import { type MeasuredServer, PEERS_DIRECTORY } from "#test/bench/servers.ts";
import type { RequestComparison } from "#test/bench/requests-report.ts";
import { fillDatabase, type HubCredentials, type TestData } from "#test/bench/requests-fill.ts";
import { startServers } from "#test/bench/start-servers.ts";
import { withToken } from "#test/support/client.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import { connect } from "#test/support/server.ts";

export type ServerName = keyof RequestComparison;

export interface RequestBench {
  readonly contenders: readonly MeasuredServer<ServerName>[];
  readonly places: readonly HubCredentials[];
  /** The process ID of the PostgreSQL server. */
  readonly postmaster: number;
  /** Runs a statement on the database. */
  run(statement: string): Promise<void>;
  close(): Promise<void>;
}

const POOL = "10"; // database connections of each contender

/** `profile` is a directory where Wheelwright writes a CPU profile when it ends. */
export async function openRequestBench(hubs: number, profile?: string): Promise<RequestBench> {
  const { db, postmaster, start, startOurs, close } = await startServers<ServerName>(profile);
  try {
    const ours = await startOurs("wheelwright", { DATABASE_POOL: POOL });
    const operator = await createTestToken(db, await createTestUser(db, "operator", { operator: true }), "cli");
    const sql = connect(db.url, 1);
    const places = await fillDatabase(db, sql, await makeModel(ours.port, operator.plaintext), hubs);
    await sql.end({ timeout: 1 });
    const bare = await start("bare", [join(PEERS_DIRECTORY, "bare.ts")], { POOL });
    const fastify = await start("fastify", [join(PEERS_DIRECTORY, "fastify.ts")], { POOL });
    const run = async (statement: string) => void await db.sql(statement);
    return { contenders: [ours, bare, fastify], places, postmaster, run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates a hub and a spoke through the API. */
async function makeModel(port: number, token: string): Promise<TestData> {
  const client = withToken(`http://127.0.0.1:${port}`, token);
  const hub = await client.send("POST", "/api/federations", { slug: "model", name: "Model" });
  const spoke = await client.send("POST", `/api/federations/${hub.body.id}/spokes`, { slug: "model", size: "small" });
  if (spoke.status !== 201) throw new Error(`No spoke could be made: ${JSON.stringify(spoke.body)}`);
  return { hub: hub.body.id, spoke: spoke.body.id };
}
