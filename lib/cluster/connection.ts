/**
 * Where the API server is and who we are there: the kubeconfig, credentials and one keep-alive agent.
 *
 * Credentials rotate (a token file, an exec plugin, a mounted certificate): they are read anew every ten seconds, and
 * at once by `renew` after a 401. The agent is replaced only when certificates changed, for they belong to its sockets.
 */
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { KubeConfig } from "@kubernetes/client-node";
import { ClusterError } from "#lib/cluster/cluster.ts";
import { messageOf } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";

export type KubeconfigSource = "in-cluster" | { file?: string; text?: string; context?: string };

export interface Connection {
  /** With its base path, without a slash at the end. */
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly options: https.RequestOptions;
}

export interface Connections {
  current(): Promise<Connection>;
  /** Reads everything again, for the credentials were refused. */
  renew(): Promise<void>;
  close(): void;
}

const KEEP = 10 * SECOND;
/** client-node's name for "has no credentials"; without a user it would ignore the certificate authority as well. */
const NOBODY = "nobody";

export async function openConnections(source: KubeconfigSource): Promise<Connections> {
  let config = await loadConfig(source);
  let agent: { key: string; agent: http.Agent } | undefined;
  let held: { until: number; connection: Promise<Connection> } | undefined;

  async function connect(): Promise<Connection> {
    const cluster = config.getCurrentCluster()!;
    const server = new URL(cluster.server);
    const applied: https.RequestOptions = {};
    await config.applyToHTTPSOptions(applied as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
    const { ca, cert, key, servername, rejectUnauthorized, auth } = applied;
    const tls = Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined),
    );
    const fingerprint = JSON.stringify([server.href, tls]);
    if (agent?.key !== fingerprint) {
      retire(agent?.agent);
      const proxied = cluster.proxyUrl ? applied.agent as http.Agent : undefined;
      const kind = server.protocol === "https:" ? https.Agent : http.Agent;
      agent = { key: fingerprint, agent: proxied ?? new kind({ ...tls, keepAlive: true }) };
    }
    return { server, headers: headersOf(applied), options: { ...tls, ...(auth ? { auth } : {}), agent: agent.agent } };
  }

  const current = (): Promise<Connection> => {
    if (held && performance.now() < held.until) return held.connection;
    const connection = connect().catch((error) => {
      held = undefined;
      throw credentialsError(error);
    });
    held = { until: performance.now() + KEEP, connection };
    return connection;
  };
  await current();
  return {
    current,
    renew: async () => {
      config = await loadConfig(source);
      held = undefined;
    },
    close: () => agent?.agent.destroy(),
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

async function loadConfig(source: KubeconfigSource): Promise<KubeConfig> {
  const { KubeConfig } = await import("@kubernetes/client-node"); // half a second and 80 MB: only who needs a cluster
  const config = new KubeConfig();
  const origin = source === "in-cluster"
    ? "the in-cluster service account"
    : source.file === undefined
    ? "the kubeconfig"
    : `the kubeconfig file ${source.file}`;
  try {
    if (source === "in-cluster") config.loadFromCluster();
    else await loadText(config, source);
  } catch (cause) {
    throw configError(`Cannot read ${origin}: ${messageOf(cause)}`, cause);
  }
  const wanted = source === "in-cluster" ? undefined : source.context;
  if (wanted !== undefined) config.setCurrentContext(wanted);
  const context = config.getContextObject(config.getCurrentContext());
  if (!context) {
    const names = config.getContexts().map((known) => known.name).join(", ") || "none";
    const missing = config.getCurrentContext() ? `has no context ${config.getCurrentContext()}` : "names no context";
    throw configError(`${capital(origin)} ${missing}; it has: ${names}`);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster) throw configError(`${capital(origin)} has no cluster ${context.cluster}`);
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    const hint = source === "in-cluster" ? "; this process does not run in a cluster" : "";
    throw configError(`${capital(origin)} names a server that is no URL: ${cluster.server}${hint}`);
  }
  if (!config.getCurrentUser()) {
    config.addUser({ name: NOBODY });
    Object.assign(context, { user: NOBODY });
  }
  // client-node refuses plain http unless TLS verification is off; there is no TLS to verify.
  if (cluster.server.startsWith("http:")) Object.assign(cluster, { skipTLSVerify: true });
  return config;
}

async function loadText(config: KubeConfig, source: { file?: string; text?: string }): Promise<void> {
  const text = source.text ?? await readFile(source.file ?? "", "utf8");
  const raw = parse(text) as { users?: { name: string; user?: { tokenFile?: string } }[] } | null;
  if (raw === null || typeof raw !== "object") throw new Error("it holds no kubeconfig");
  config.loadFromString(text);
  const folder = source.file === undefined ? "" : dirname(source.file);
  if (folder) config.makePathsAbsolute(folder);
  // client-node knows token files only as an auth provider, kubectl as a field of the user.
  for (const { name, user } of raw.users ?? []) {
    if (!user?.tokenFile) continue;
    const tokenFile = resolve(folder, user.tokenFile);
    Object.assign(config.getUser(name) ?? {}, { authProvider: { name: "tokenFile", config: { tokenFile } } });
  }
}

function configError(message: string, cause?: unknown): ClusterError {
  return new ClusterError("kubeconfig", message, { transient: false, blame: "operator", cause });
}

/** An exec plugin or a token file may be back in a moment; the caller's own retries decide for how long. */
function credentialsError(cause: unknown): ClusterError {
  return new ClusterError("credentials", `Cannot get credentials for the cluster: ${messageOf(cause).trim()}`, {
    transient: (cause as { code?: unknown }).code !== "ENOENT",
    blame: "operator",
    hint: "Check the credentials, files and plugins that the kubeconfig names.",
    cause,
  });
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
