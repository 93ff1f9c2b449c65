/**
 * What a kubeconfig says: which server, which context, and who we are there.
 *
 * The Kubernetes library reads it, and runs the plugins that it names. All of that library at once is 80 MB and most of a
 * second of processor, so that is loaded only for what few need: a proxy, or a provider from before there were plugins.
 */
import { readFile } from "node:fs/promises";
import type https from "node:https";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from "@kubernetes/client-node/dist/config_types.js";
import { ExecAuth } from "@kubernetes/client-node/dist/exec_auth.js";
import { FileAuth } from "@kubernetes/client-node/dist/file_auth.js";
import { serverOfPod } from "#lib/base/config.ts";
import { configError } from "#lib/drivers/cluster/wire/failures.ts";
import { messageOf, reasonOf } from "#lib/base/errors.ts";

export type KubeconfigSource = "in-cluster" | { file?: string; text?: string; context?: string };

export interface Kubeconfig {
  /** The name of the context that is used. */
  readonly context: string;
  readonly server: URL;
  readonly proxied: boolean;
  /** Certificates and headers; the agent is of use only where it leads through a proxy. Asks plugins and reads files. */
  credentials(): Promise<https.RequestOptions>;
}

interface Contents {
  readonly current: string | undefined;
  readonly contexts: readonly Context[];
  readonly clusters: readonly Cluster[];
  readonly users: readonly User[];
}

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount", POD = "in-cluster";

/** The kubeconfig's text; null in a cluster, where none exists. */
export async function readKubeconfigText(source: KubeconfigSource): Promise<string | null> {
  if (source === "in-cluster") return null;
  try {
    return source.text ?? await readFile(source.file ?? "", "utf8");
  } catch (cause) {
    throw configError(`Cannot read ${originOf(source)}: ${reasonOf(cause)}`, cause);
  }
}

/** Throws a ClusterError `kubeconfig` that says what is wrong with it. */
export function readKubeconfig(source: KubeconfigSource, text: string | null): Kubeconfig {
  const origin = originOf(source), contents = contentsOf(source, text);
  const wanted = source === "in-cluster" ? undefined : source.context;
  const name = wanted ?? contents.current;
  const context = contents.contexts.find((known) => known.name === name);
  if (!context) {
    const names = contents.contexts.map((known) => known.name).join(", ") || "none";
    const missing = name ? `has no context ${name}` : "names no context";
    throw configError(`${capital(origin)} ${missing}; it has: ${names}`);
  }
  const cluster = contents.clusters.find((known) => known.name === context.cluster);
  if (!cluster) throw configError(`${capital(origin)} has no cluster ${context.cluster}`);
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    if (source === "in-cluster") throw configError("No file is named, and this process does not run in a cluster");
    throw configError(`${capital(origin)} names a server that is no URL: ${cluster.server}`);
  }
  const user = contents.users.find((known) => known.name === context.user) ?? { name: "nobody" };
  const proxied = Boolean(cluster.proxyUrl), plugins = [new ExecAuth(), new FileAuth()];
  const plugin = plugins.find((each) => each.isAuthProvider(user));
  const credentials = proxied || (user.authProvider && !plugin)
    ? credentialsOfLibrary(cluster, user)
    : () => credentialsOf(cluster, user, plugin);
  return { context: context.name, server: new URL(cluster.server), proxied, credentials };
}

async function credentialsOf(
  cluster: Cluster,
  user: User,
  plugin?: ExecAuth | FileAuth,
): Promise<https.RequestOptions> {
  const [ca, cert, key] = await Promise.all([
    bytesOf(cluster.caFile, cluster.caData),
    bytesOf(user.certFile, user.certData),
    bytesOf(user.keyFile, user.keyData),
  ]);
  const given: https.RequestOptions & { headers: Record<string, string> } = {
    ...(cluster.skipTLSVerify && { rejectUnauthorized: false }),
    ...(cluster.tlsServerName && { servername: cluster.tlsServerName }),
    ...{ ca, cert, key },
    ...(user.username && { auth: `${user.username}:${user.password}` }),
    headers: user.impersonateUser ? { "Impersonate-User": user.impersonateUser } : {},
  };
  await plugin?.applyAuthentication(user, given);
  if (user.token) given.headers["Authorization"] = `Bearer ${user.token}`;
  return given;
}

/** As the whole library gives them, which keeps the tokens that it was given. */
function credentialsOfLibrary(cluster: Cluster, user: User): Kubeconfig["credentials"] {
  let loading: Promise<KubeConfig> | undefined;
  return async () => {
    const whole = await (loading ??= loadLibrary(cluster, user)), given: https.RequestOptions = {};
    await whole.applyToHTTPSOptions(given as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
    return given;
  };
}

async function loadLibrary(cluster: Cluster, user: User): Promise<KubeConfig> {
  const whole = new (await import("@kubernetes/client-node/dist/config.js")).KubeConfig();
  // It refuses plain http unless TLS verification is off; there is no TLS to verify.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith("http:");
  whole.loadFromClusterAndUser({ ...cluster, skipTLSVerify }, user);
  return whole;
}

async function bytesOf(file: string | undefined, data: string | undefined): Promise<Buffer | undefined> {
  if (file) return await readFile(file);
  return data ? Buffer.from(data, "base64") : undefined;
}

function contentsOf(source: KubeconfigSource, text: string | null): Contents {
  if (source === "in-cluster") return contentsOfPod();
  try {
    return contentsOfText(text ?? "", source.file === undefined ? "" : dirname(source.file));
  } catch (cause) {
    const [why = ""] = messageOf(cause).split("\n"); // what follows of a parser shows the text, which holds secrets
    throw configError(`Cannot read ${originOf(source)}: ${why.replace(/:$/, "")}`, cause);
  }
}

function contentsOfPod(): Contents {
  const cluster = { name: POD, caFile: `${ACCOUNT}/ca.crt`, server: serverOfPod(), skipTLSVerify: false };
  const authProvider = { name: "tokenFile", config: { tokenFile: `${ACCOUNT}/token` } };
  return {
    current: POD,
    contexts: [{ name: POD, cluster: POD, user: POD }],
    clusters: [cluster],
    users: [{ name: POD, authProvider }],
  };
}

function contentsOfText(text: string, folder: string): Contents {
  const raw = parse(text, { merge: true });
  if (raw === null || typeof raw !== "object") throw new Error("it holds no kubeconfig");
  const absolute = (path: string) => folder ? resolve(folder, path) : path;
  const placed = (name: string, path: string | undefined) => path ? { [name]: absolute(path) } : {};
  // The library knows token files only as an auth provider, kubectl as a field of the user.
  const providerOf = (tokenFile: string) => ({ name: "tokenFile", config: { tokenFile: absolute(tokenFile) } });
  return {
    current: raw["current-context"],
    contexts: newContexts(raw.contexts),
    clusters: newClusters(raw.clusters).map((each) => ({ ...each, ...placed("caFile", each.caFile) })),
    users: newUsers(raw.users).map((each, i) => {
      const tokenFile = raw.users[i].user?.tokenFile;
      return {
        ...each,
        ...placed("certFile", each.certFile),
        ...placed("keyFile", each.keyFile),
        ...(tokenFile && { authProvider: providerOf(tokenFile) }),
      };
    }),
  };
}

function originOf(source: KubeconfigSource): string {
  if (source === "in-cluster") return "the in-cluster service account";
  return source.file === undefined ? "the kubeconfig" : `the kubeconfig file ${source.file}`;
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
