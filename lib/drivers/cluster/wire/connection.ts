/**
 * Where the API server is and who we are there: the kubeconfig, credentials and one keep-alive agent.
 *
 * Credentials rotate (a token file, an exec plugin, a mounted certificate): they are asked for every ten seconds, and
 * anew by `renew` after a 401. The kubeconfig's file may be written while this runs (another server, authority, user):
 * it is read again, too, and while it cannot be read what was known stays. Its context stays the one of the start: a
 * person who switches their kubectl to another cluster does not mean us. The agent is replaced only when certificates
 * changed, for they belong to its sockets.
 */
import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { KubeConfig } from "@kubernetes/client-node";
import { configError, credentialsError, lateError } from "#lib/drivers/cluster/wire/failures.ts";
import { messageOf, reasonOf } from "#lib/base/errors.ts";
import { within } from "#lib/base/race.ts";
import { SECOND } from "#lib/base/time.ts";

export type KubeconfigSource = "in-cluster" | { file?: string; text?: string; context?: string };

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
  current(): Promise<Connection>;
  /** Reads everything again, for the credentials of this connection were refused. */
  renew(refused: Connection): Promise<void>;
  close(): void;
}

const KEEP = 10 * SECOND;
/** How long the first credentials may take. */
const OPENING = 30 * SECOND;
/** client-node's name for "has no credentials"; without a user it would ignore the certificate authority as well. */
const NOBODY = "nobody";

/** `keep` is for how many milliseconds the credentials are used before they are asked for again. */
export async function openPoolOfServer(source: KubeconfigSource, keep = KEEP): Promise<Connections> {
  let text = await readSource(source);
  let config = loadConfig(source, text);
  const context = config.getCurrentContext();
  let agent: { key: string; agent: http.Agent; once: http.Agent } | undefined;
  let held: { until: number; connection: Connection } | undefined;
  let connecting: Promise<Connection> | undefined, renewing: Promise<void> | undefined;
  let generation = 0; // of the credentials: many connections may be made with the same
  const madeWith = new WeakMap<Connection, number>();
  let closed = false;

  async function connect(): Promise<Connection> {
    await reload().catch(() => {}); // what cannot be read now may be half written: what was known is still good
    const cluster = config.getCurrentCluster()!;
    const server = new URL(cluster.server), made = generation;
    const applied: https.RequestOptions = {};
    await config.applyToHTTPSOptions(applied as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
    if (made !== generation) return await connect(); // they were renewed meanwhile
    const { ca, cert, key, servername, rejectUnauthorized, auth } = applied;
    const tls = Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined),
    );
    const fingerprint = JSON.stringify([server.href, tls]);
    if (agent?.key !== fingerprint && !closed) {
      retire(agent?.agent);
      const proxied = cluster.proxyUrl ? applied.agent as http.Agent : undefined;
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
    const fresh = await readSource(source);
    if (fresh !== text) take(fresh);
  }

  async function renew(): Promise<void> {
    take(await readSource(source));
    held = undefined;
    generation++;
  }

  function take(fresh: string | null): void {
    config = loadConfig(source === "in-cluster" ? source : { ...source, context }, fresh);
    text = fresh;
  }

  const current = async (): Promise<Connection> => {
    if (held && performance.now() < held.until) return held.connection;
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

/** The kubeconfig's text; null in a cluster, where none exists. */
async function readSource(source: KubeconfigSource): Promise<string | null> {
  if (source === "in-cluster") return null;
  try {
    return source.text ?? await readFile(source.file ?? "", "utf8");
  } catch (cause) {
    throw configError(`Cannot read ${originOf(source)}: ${reasonOf(cause)}`, cause);
  }
}

function originOf(source: KubeconfigSource): string {
  if (source === "in-cluster") return "the in-cluster service account";
  return source.file === undefined ? "the kubeconfig" : `the kubeconfig file ${source.file}`;
}

function loadConfig(source: KubeconfigSource, text: string | null): KubeConfig {
  const config = new KubeConfig();
  const origin = originOf(source);
  try {
    if (source === "in-cluster") config.loadFromCluster();
    else loadText(config, text ?? "", source.file === undefined ? "" : dirname(source.file));
  } catch (cause) {
    const [why = ""] = messageOf(cause).split("\n"); // what follows of a parser shows the text, which holds secrets
    throw configError(`Cannot read ${origin}: ${why.replace(/:$/, "")}`, cause);
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

function loadText(config: KubeConfig, text: string, folder: string): void {
  const raw = parse(text) as { users?: { name: string; user?: { tokenFile?: string } }[] } | null;
  if (raw === null || typeof raw !== "object") throw new Error("it holds no kubeconfig");
  config.loadFromString(text);
  if (folder) config.makePathsAbsolute(folder);
  // client-node knows token files only as an auth provider, kubectl as a field of the user.
  for (const { name, user } of raw.users ?? []) {
    if (!user?.tokenFile) continue;
    const tokenFile = resolve(folder, user.tokenFile);
    Object.assign(config.getUser(name) ?? {}, { authProvider: { name: "tokenFile", config: { tokenFile } } });
  }
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
