/**
 * Where the API server is and who we are there: the kubeconfig, credentials and one keep-alive agent.
 *
 * Credentials rotate (a token file, an exec plugin, a mounted certificate): they are asked for every ten seconds, and
 * anew by `renew` after a 401. The kubeconfig's file may be written while this runs (another server, authority, user):
 * it is read again, too, and while it cannot be read what was known stays. Its context stays the one of the start: a
 * person who switches their kubectl to another cluster does not mean us. The agent is replaced only when certificates
 * changed, for they belong to its sockets.
 */
import http from "node:http";
import https from "node:https";
import { credentialsError, lateError } from "#lib/drivers/cluster/wire/failures.ts";
import { type KubeconfigSource, readKubeconfig, readKubeconfigText } from "#lib/drivers/cluster/wire/kubeconfig.ts";
import { within } from "#lib/base/race.ts";
import { SECOND } from "#lib/base/time.ts";

export interface Connection {
  /** With its base path, without a slash at the end. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: https.RequestOptions;
  /**
   * The same, over a connection of its own. A caller that must know that a request is sent once needs this: a kept
   * connection may have been closed by the server already, and Deno's client then sends a request again without
   * telling, a PATCH too.
   */
  readonly once: https.RequestOptions;
}

export interface Connections {
  /** What is known, unless it is time to ask again. */
  known(): Connection | undefined;
  current(): Promise<Connection>;
  /** Reads everything again, for the credentials of this connection were refused. */
  renew(refused: Connection): Promise<void>;
  close(): void;
}

const KEEP = 10 * SECOND;
/** How long the first credentials may take. */
const OPENING = 30 * SECOND;

/** `keep` is for how many milliseconds the credentials are used before they are asked for again. */
export async function openPoolOfServer(source: KubeconfigSource, keep = KEEP): Promise<Connections> {
  let text = await readKubeconfigText(source);
  let config = readKubeconfig(source, text);
  const { context } = config;
  let agent: { key: string; agent: http.Agent; once: http.Agent } | undefined;
  let held: { until: number; connection: Connection } | undefined;
  let connecting: Promise<Connection> | undefined, renewing: Promise<void> | undefined;
  let generation = 0; // of the credentials: many connections may be made with the same
  const madeWith = new WeakMap<Connection, number>();
  let closed = false;

  async function connect(): Promise<Connection> {
    await reload().catch(() => {}); // what cannot be read now may be half written: what was known is still good
    const { server, proxied: isProxied, credentials } = config, made = generation;
    const applied = await credentials();
    if (made !== generation) return await connect(); // they were renewed meanwhile
    const { ca, cert, key, servername, rejectUnauthorized, auth } = applied;
    const tls = Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined),
    );
    const fingerprint = JSON.stringify([server.href, tls]);
    if (agent?.key !== fingerprint && !closed) {
      retire(agent?.agent);
      const proxied = isProxied ? applied.agent as http.Agent : undefined;
      const kind = server.protocol === "https:" ? https.Agent : http.Agent;
      const [kept, once] = [true, false].map((keepAlive) => proxied ?? new kind({ ...tls, keepAlive }));
      agent = { key: fingerprint, agent: kept!, once: once! };
    }
    const options = { ...tls, ...(auth ? { auth } : {}), agent: agent!.agent };
    const connection = { server, headers: headersOf(applied), options, once: { ...options, agent: agent!.once } };
    madeWith.set(connection, made);
    return connection;
  }

  async function reload(): Promise<void> {
    const fresh = await readKubeconfigText(source);
    if (fresh !== text) take(fresh);
  }

  async function renew(): Promise<void> {
    take(await readKubeconfigText(source));
    held = undefined;
    generation++;
  }

  function take(fresh: string | null): void {
    config = readKubeconfig(source === "in-cluster" ? source : { ...source, context }, fresh);
    text = fresh;
  }

  const known = () => held && performance.now() < held.until ? held.connection : undefined;

  const current = async (): Promise<Connection> => {
    const connection = known();
    if (connection) return connection;
    // One at a time: a plugin that hangs is not started again and again.
    connecting ??= connect().then((connection) => {
      held = { until: performance.now() + keep, connection };
      return connection;
    }).catch((error) => {
      throw credentialsError(error);
    }).finally(() => connecting = undefined);
    return await connecting;
  };
  await within([], { ms: OPENING, late: () => lateError(OPENING) }, current);
  return {
    known,
    current,
    renew: async (refused) => {
      if (madeWith.get(refused) !== generation) return; // somebody else was refused with these, and has renewed them already
      renewing ??= renew().finally(() => renewing = undefined);
      await renewing;
    },
    close: () => {
      closed = true;
      agent?.agent.destroy();
      agent?.once.destroy();
    },
  };
}

/** Lets what is under way end, and keeps no connection for later. */
function retire(agent: http.Agent | undefined): void {
  if (!agent) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets ?? {})) sockets?.forEach((socket) => socket.destroy());
}

/** A token that was read from a file ends in a line feed, which no header may hold. */
function headersOf(applied: https.RequestOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(applied.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
}
