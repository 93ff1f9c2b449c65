/**
 * Connects to the API server of a kubeconfig: the credentials in use and one keep-alive agent.
 *
 * Credentials rotate (a token file, an exec plugin, a mounted certificate). So they are read every ten seconds, and by
 * `renew` after a 401. The kubeconfig may change, too (another server, authority, user): it is read again, and while it
 * cannot be read the last one stays in use. Its context stays the one of the start: a person who switches kubectl to
 * another cluster does not mean this process. The agent is replaced only when certificates change, since its sockets use
 * them.
 *
 * Files, plugins and providers may hang. Each has a deadline, and the next call then starts it again.
 */
import http from "node:http";
import https from "node:https";
import { credentialsError, lateError } from "#lib/drivers/cluster/client/failures.ts";
import { type CredentialSources, openCredentials } from "#lib/drivers/cluster/client/credentials.ts";
import { openFileReader } from "#lib/drivers/cluster/client/files.ts";
import { type KubeconfigSource, readKubeconfig, readKubeconfigTexts } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { type Log, silentLog } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface Connection {
  /** With its base path, without a slash at the end. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
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
  cached(): Connection | undefined;
  current(): Promise<Connection>;
  /** Reads everything again, for the credentials of this connection were refused. */
  renew(refused: Connection): Promise<void>;
  close(): void;
}

interface ConnectionOptions {
  /** Milliseconds for which credentials are used before they are read again (10 s). */
  readonly ttl?: number;
  /** Milliseconds for each file, plugin or provider (20 s: less than a call may take, so that its error names them). */
  readonly deadline?: number;
  readonly log?: Log;
}

/** Throws a ClusterError `kubeconfig` or `credentials` unless the first credentials come. */
export async function openServerConnections(
  source: KubeconfigSource,
  options: ConnectionOptions = {},
): Promise<Connections> {
  const { ttl: keep = 10 * SECOND, deadline: ms = 20 * SECOND, log = silentLog } = options;
  const closing = new AbortController();
  const lateCredentials = (doing: string) => {
    log.warn("Timed out while reading the cluster's credentials", { waitedFor: doing, ms });
    return lateError(ms, doing);
  };
  const reader = { files: openFileReader(ms, lateCredentials), idTokens: new Map() };
  const sources: CredentialSources = { ...reader, ms, late: lateCredentials, signal: closing.signal };
  let texts = await readKubeconfigTexts(source, sources.files);
  let config = readKubeconfig(source, texts), credentials = openCredentials(config, sources);
  const { context } = config;
  let agent: { key: string; agent: http.Agent; once: http.Agent } | undefined;
  let cache: { until: number; connection: Connection } | undefined;
  let connecting: Promise<Connection> | undefined, renewing: Promise<void> | undefined;
  let generation = 0; // of the credentials: many connections may be made with the same
  const generations = new WeakMap<Connection, number>();

  async function connect(): Promise<Connection> {
    await reload().catch(() => {}); // what cannot be read now may be half written: what was known is still good
    const { server } = config, made = generation;
    const { tls, headers, agent: proxied } = await credentials();
    if (made !== generation) return await connect(); // they were renewed meanwhile
    const fingerprint = JSON.stringify([server.href, tls]);
    if (agent?.key !== fingerprint && !closing.signal.aborted) {
      retire(agent?.agent);
      const kind = server.protocol === "https:" ? https.Agent : http.Agent;
      const [kept, once] = [true, false].map((keepAlive) =>
        proxied as http.Agent | undefined ?? new kind({ ...tls, keepAlive })
      );
      agent = { key: fingerprint, agent: kept!, once: once! };
    }
    const options = { ...tls, agent: agent!.agent };
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const connection = {
      server,
      headers: Object.fromEntries(lower),
      options,
      once: { ...options, agent: agent!.once },
    };
    generations.set(connection, made);
    return connection;
  }

  async function reload(): Promise<void> {
    const fresh = await readKubeconfigTexts(source, sources.files);
    if (JSON.stringify(fresh) !== JSON.stringify(texts)) useKubeconfig(fresh);
  }

  async function renew(): Promise<void> {
    useKubeconfig(await readKubeconfigTexts(source, sources.files));
    cache = undefined;
    generation++;
  }

  function useKubeconfig(fresh: typeof texts): void {
    config = readKubeconfig(source === "in-cluster" ? source : { ...source, context }, fresh);
    credentials = openCredentials(config, sources);
    texts = fresh;
  }

  const known = () => cache && performance.now() < cache.until ? cache.connection : undefined;

  const current = async (): Promise<Connection> => {
    const connection = known();
    if (connection) return connection;
    // One at a time: a plugin that hangs is not started again and again.
    connecting ??= connect().then((connection) => {
      cache = { until: performance.now() + keep, connection };
      return connection;
    }).catch((error) => {
      throw credentialsError(error);
    }).finally(() => connecting = undefined);
    return await connecting;
  };
  await current();
  return {
    cached: known,
    current,
    renew: async (refused) => {
      if (generations.get(refused) !== generation) return; // somebody else was refused with these, and has renewed them already
      renewing ??= renew().finally(() => renewing = undefined);
      await renewing;
    },
    close: () => {
      closing.abort(new Error("The connection to the cluster was closed"));
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
