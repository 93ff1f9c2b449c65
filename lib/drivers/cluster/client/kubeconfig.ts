/**
 * Reads kubeconfig files as kubectl does. KUBECONFIG may list several files: the first file that sets a value or
 * defines a name takes precedence. The Kubernetes library parses clusters and contexts. The module user.ts parses
 * users, because the library does not support all their settings.
 */
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { delimiter, dirname } from "node:path";
import { parse } from "yaml";
import { type Cluster, type Context, newClusters, newContexts } from "@kubernetes/client-node/dist/config_types.js";
import { getInClusterServerUrl } from "#lib/base/config.ts";
import { createKubeconfigError } from "#lib/drivers/cluster/client/failures.ts";
import type { FileReader } from "#lib/drivers/cluster/client/files.ts";
import { isRecord } from "#lib/drivers/cluster/client/status.ts";
import { type KubeUser, readKubeUser, resolveKubeconfigPath } from "#lib/drivers/cluster/client/user.ts";
import { getErrorReason } from "#lib/base/errors.ts";

/** The source of a kubeconfig. `file` may be a list of paths, as in the environment variable KUBECONFIG. */
export type KubeconfigSource = "in-cluster" | { file?: string; text?: string; context?: string };

export interface KubeconfigText {
  /** The folder that relative paths start from. Empty if the text was not read from a file. */
  readonly folder: string;
  readonly text: string;
}

export interface Kubeconfig {
  readonly context: string;
  readonly server: URL;
  readonly cluster: Cluster;
  readonly user: KubeUser;
  /** The information about the cluster that an exec plugin receives. */
  readonly clusterInfo: object;
}

interface Contents {
  readonly current: string | undefined;
  readonly contexts: readonly Context[];
  readonly clusters: readonly Cluster[];
  readonly clusterInfos: ReadonlyMap<string, object>;
  /** Users, each parsed only when `read` is called, because only the current context's user is needed. */
  readonly users: readonly { readonly name: unknown; readonly read: () => KubeUser }[];
}

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount", POD = "in-cluster";
/** The name of the kubeconfig extension whose content is passed to exec plugins. */
const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

/** Reads the kubeconfig files. Skips missing files if at least one exists. Returns an empty list for `in-cluster`. */
export async function readKubeconfigTexts(source: KubeconfigSource, files: FileReader): Promise<KubeconfigText[]> {
  if (source === "in-cluster") return [];
  if (source.text !== undefined) return [{ folder: "", text: source.text }];
  const paths = pathsOf(source.file ?? ""), found: KubeconfigText[] = [];
  let missing: unknown;
  for (const path of paths) {
    try {
      found.push({ folder: dirname(path), text: decodeUtf8(await files.read(path)) });
    } catch (cause) {
      missing = cause;
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw unreadableError(source, cause);
    }
  }
  if (found.length === 0) throw unreadableError(source, missing);
  return found;
}

/** Parses the kubeconfig. If it is invalid, throws a ClusterError `kubeconfig` that describes the problem. */
export function readKubeconfig(source: KubeconfigSource, texts: readonly KubeconfigText[]): Kubeconfig {
  const origin = originOf(source), contents = contentsOf(source, texts);
  const contextName = source === "in-cluster" ? undefined : source.context;
  const name = contextName ?? contents.current;
  const context = contents.contexts.find((known) => known.name === name);
  if (!context) {
    const names = contents.contexts.map((known) => known.name).join(", ") || "none";
    const missing = name ? `has no context ${name}` : "has no current-context";
    throw createKubeconfigError(`${capitalizeOrigin(origin)} ${missing}; available: ${names}`);
  }
  const cluster = contents.clusters.find((known) => known.name === context.cluster);
  if (!cluster) throw createKubeconfigError(`${capitalizeOrigin(origin)} has no cluster ${context.cluster}`);
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    if (source === "in-cluster") {
      throw createKubeconfigError("No kubeconfig is set, and the process is not running in a cluster");
    }
    throw createKubeconfigError(`${capitalizeOrigin(origin)} has an invalid server URL: ${cluster.server}`);
  }
  return {
    context: context.name,
    server: new URL(cluster.server),
    cluster,
    user: userOf(context, contents, source),
    clusterInfo: contents.clusterInfos.get(cluster.name) ?? {},
  };
}

/** Returns the context's user. As with kubectl, requests are anonymous if the context has no user. */
function userOf(context: Context, { users }: Contents, source: KubeconfigSource): KubeUser {
  if (!context.user) return { name: "nobody", cert: {}, key: {}, impersonation: {} };
  const found = users.find(({ name }) => name === context.user);
  if (!found) {
    const names = users.map(({ name }) => String(name)).join(", ") || "none";
    const missing = `has no user ${context.user}, which the context ${context.name} requires`;
    throw createKubeconfigError(`${capitalizeOrigin(originOf(source))} ${missing}; available: ${names}`);
  }
  return readOrThrow(source, found.read);
}

function contentsOf(source: KubeconfigSource, texts: readonly KubeconfigText[]): Contents {
  if (source === "in-cluster") return contentsOfPod();
  const each = readOrThrow(source, () => texts.map(contentsOfText));
  return {
    current: each.find(({ current }) => current)?.current,
    contexts: each.flatMap(({ contexts }) => contexts),
    clusters: each.flatMap(({ clusters }) => clusters),
    clusterInfos: new Map(each.toReversed().flatMap(({ clusterInfos }) => [...clusterInfos])),
    users: each.flatMap(({ users }) => users),
  };
}

function contentsOfPod(): Contents {
  const cluster = { name: POD, caFile: `${ACCOUNT}/ca.crt`, server: getInClusterServerUrl(), skipTLSVerify: false };
  const user = { name: POD, tokenFile: `${ACCOUNT}/token`, cert: {}, key: {}, impersonation: {} };
  return {
    current: POD,
    contexts: [{ name: POD, cluster: POD, user: POD }],
    clusters: [cluster],
    clusterInfos: new Map(),
    users: [{ name: POD, read: () => user }],
  };
}

function contentsOfText({ text, folder }: KubeconfigText): Contents {
  const raw: unknown = parse(text, { merge: true });
  if (!isRecord(raw)) throw new Error("the content is not a kubeconfig");
  const clusters = newClusters(raw.clusters).map((each) => ({
    ...each,
    ...(each.caFile && { caFile: resolveKubeconfigPath(each.caFile, folder)! }),
  }));
  const users = Array.isArray(raw.users) ? raw.users : [];
  return {
    current: typeof raw["current-context"] === "string" ? raw["current-context"] : undefined,
    contexts: newContexts(raw.contexts),
    clusters,
    clusterInfos: new Map((Array.isArray(raw.clusters) ? raw.clusters : []).map(clusterInfoOf)),
    users: users.map((each, i) => ({
      name: isRecord(each) ? each.name : undefined,
      read: () => readKubeUser(each, `users[${i}]`, folder),
    })),
  };
}

function clusterInfoOf({ name, cluster }: { name: string; cluster: Record<string, unknown> }): [string, object] {
  const copied = [
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority-data",
    "proxy-url",
    "disable-compression",
  ];
  const info = copied.flatMap((key) => cluster[key] === undefined ? [] : [[key, cluster[key]]]);
  const extensions = Array.isArray(cluster.extensions) ? cluster.extensions.filter(isRecord) : [];
  const config = extensions.find((each) => each.name === EXEC_EXTENSION)?.extension;
  return [name, { ...Object.fromEntries(info), ...(config !== undefined && { config }) }];
}

function readOrThrow<T>(source: KubeconfigSource, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw unreadableError(source, cause);
  }
}

function unreadableError(source: KubeconfigSource, cause: unknown) {
  // Shows only the first line. The other lines of a parser's message quote the file, which contains secrets.
  const [why = ""] = getErrorReason(cause).split("\n");
  return createKubeconfigError(`Cannot read ${originOf(source)}: ${why.replace(/:$/, "")}`, cause);
}

function pathsOf(list: string): string[] {
  const paths = [...new Set(list.split(delimiter).filter((path) => path !== ""))];
  return paths.length > 0 ? paths : [""];
}

function originOf(source: KubeconfigSource): string {
  if (source === "in-cluster") return "the in-cluster service account";
  if (source.file === undefined) return "the kubeconfig";
  const paths = pathsOf(source.file);
  return paths.length > 1 ? `the kubeconfig files ${paths.join(", ")}` : `the kubeconfig file ${source.file}`;
}

function capitalizeOrigin(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
