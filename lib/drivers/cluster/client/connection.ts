/**
 * Connects to the API server that a kubeconfig names. Credentials can change, so they are read again every ten seconds
 * and after a response with status 401. If a changed kubeconfig cannot be read, its last readable version is used. The
 * context stays the same, even if kubectl switches to another context.
 */
import http from "node:http";
import https from "node:https";
import { createCredentialsError, createCredentialsTimeoutError } from "#lib/drivers/cluster/client/failures.ts";
import { createCredentialReader, type CredentialSources } from "#lib/drivers/cluster/client/credentials.ts";
import { createFileReader } from "#lib/drivers/cluster/client/files.ts";
import { type KubeconfigSource, readKubeconfig, readKubeconfigFiles } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { type Log, SILENT_LOG } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface ServerConnection {
  /** The API server's URL, including its base path. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly options: https.RequestOptions;
  /**
   * Options without keep-alive, for requests that must be sent only once. Deno silently sends a request again, even a
   * PATCH, if the server has closed a kept-alive connection.
   */
  readonly once: https.RequestOptions;
}

export interface ServerConnections {
  /** Returns the cached connection, or undefined if the credentials must be read again first. */
  cached(): ServerConnection | undefined;
  current(): Promise<ServerConnection>;
  /** Reads the credentials again, unless they were renewed since the server refused those of `refused`. */
  renew(refused: ServerConnection): Promise<void>;
  close(): void;
}

interface ConnectionOptions {
  /** How long credentials are used before they are read again, in milliseconds. Defaults to 10 seconds. */
  readonly ttl?: number;
  /**
   * The time limit for each file, plugin or OIDC provider, in milliseconds. Defaults to 20 seconds, which is less than
   * a call's deadline, so that the error can name the cause.
   */
  readonly deadline?: number;
  readonly log?: Log;
}

/** Reads the credentials for the first time. If this fails, throws a ClusterError `kubeconfig` or `credentials`. */
export async function openServerConnections(
  source: KubeconfigSource,
  options: ConnectionOptions = {},
): Promise<ServerConnections> {
  const { ttl: ttl = 10 * SECOND, deadline: ms = 20 * SECOND, log = SILENT_LOG } = options;
  const closing = new AbortController();
  const lateCredentials = (description: string) => {
    log.warn("Timed out while reading the cluster's credentials", { waitedFor: description, ms });
    return createCredentialsTimeoutError(ms, description);
  };
  const reader = { files: createFileReader(ms, lateCredentials), idTokens: new Map() };
  const sources: CredentialSources = { ...reader, ms, late: lateCredentials, signal: closing.signal };
  let files = await readKubeconfigFiles(source, sources.files);
  let config = readKubeconfig(source, files), credentials = createCredentialReader(config, sources);
  const { context } = config;
  let agent: { key: string; agent: http.Agent; once: http.Agent } | undefined;
  let cache: { until: number; connection: ServerConnection } | undefined;
  let connecting: Promise<ServerConnection> | undefined, renewing: Promise<void> | undefined;
  let generation = 0; // increases with each renewal; several connections can use the same credentials
  const generations = new WeakMap<ServerConnection, number>();

  async function connect(): Promise<ServerConnection> {
    await reload().catch(() => {}); // keeps the last version, because the file may be half written
    const { server } = config, startGeneration = generation;
    const { tls, headers, agent: proxied } = await credentials();
    if (startGeneration !== generation) return await connect(); // the credentials were renewed in the meantime
    const fingerprint = JSON.stringify([server.href, tls]);
    if (agent?.key !== fingerprint && !closing.signal.aborted) {
      retire(agent?.agent);
      const kind = server.protocol === "https:" ? https.Agent : http.Agent;
      const [keepAliveAgent, once] = [true, false].map((keepAlive) =>
        proxied as http.Agent | undefined ?? new kind({ ...tls, keepAlive })
      );
      agent = { key: fingerprint, agent: keepAliveAgent!, once: once! };
    }
    const options = { ...tls, agent: agent!.agent };
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const connection = {
      server,
      headers: Object.fromEntries(lower),
      options,
      once: { ...options, agent: agent!.once },
    };
    generations.set(connection, startGeneration);
    return connection;
  }

  async function reload(): Promise<void> {
    const fresh = await readKubeconfigFiles(source, sources.files);
    if (JSON.stringify(fresh) !== JSON.stringify(files)) useKubeconfig(fresh);
  }

  async function renew(): Promise<void> {
    useKubeconfig(await readKubeconfigFiles(source, sources.files));
    cache = undefined;
    generation++;
  }

  function useKubeconfig(fresh: typeof files): void {
    config = readKubeconfig(source === "in-cluster" ? source : { ...source, context }, fresh);
    credentials = createCredentialReader(config, sources);
    files = fresh;
  }

  const cachedConnection = () => cache && performance.now() < cache.until ? cache.connection : undefined;

  const current = async (): Promise<ServerConnection> => {
    const connection = cachedConnection();
    if (connection) return connection;
    // Opens only one connection at a time, so that a hanging plugin is not started repeatedly.
    connecting ??= connect().then((connection) => {
      cache = { until: performance.now() + ttl, connection };
      return connection;
    }).catch((error) => {
      throw createCredentialsError(error);
    }).finally(() => connecting = undefined);
    return await connecting;
  };
  await current();
  return {
    cached: cachedConnection,
    current,
    renew: async (refused) => {
      if (generations.get(refused) !== generation) return; // another call has already renewed these credentials
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

/** Closes the agent's idle connections. Its other connections close after their current request. */
function retire(agent: http.Agent | undefined): void {
  if (!agent) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets ?? {})) sockets?.forEach((socket) => socket.destroy());
}
