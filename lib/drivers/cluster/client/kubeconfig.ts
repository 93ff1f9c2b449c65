/**
 * Reads kubeconfig files as kubectl does. KUBECONFIG may list several files: the first file that sets a value or
 * defines a name takes precedence. The Kubernetes library's KubeConfig is not used for this: it blocks the process
 * while it reads files, ignores token files and most impersonation settings, and needs 1.1 s of CPU time and 79 MiB.
 */
import { decodeUtf8 } from "#lib/base/utf8.ts";
import { delimiter, dirname } from "node:path";
import * as v from "valibot";
import { parse } from "yaml";
import { getInClusterServerUrl } from "#lib/base/config.ts";
import { createKubeconfigError } from "#lib/drivers/cluster/client/failures.ts";
import type { FileReader } from "#lib/drivers/cluster/client/files.ts";
import {
  KubeconfigText,
  type KubeUser,
  parseKubeconfig,
  readKubeUser,
  resolveKubeconfigPath,
} from "#lib/drivers/cluster/client/user.ts";
import { getErrorReason } from "#lib/base/errors.ts";

/** The source of a kubeconfig. `file` may be a list of paths, as in the environment variable KUBECONFIG. */
export type KubeconfigSource = "in-cluster" | { file?: string; text?: string; context?: string };

export interface KubeconfigFile {
  /** The folder that relative paths start from. Empty if the text was not read from a file. */
  readonly folder: string;
  readonly text: string;
}

export interface Kubeconfig {
  readonly context: string;
  readonly server: URL;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeUser;
}

const missing = "is missing", Name = v.pipe(v.string(missing), v.nonEmpty(missing));
const list = <S extends v.GenericSchema>(item: S) => v.nullish(v.array(item, "must be a list"), []);

const Cluster = v.object({
  server: Name,
  "tls-server-name": KubeconfigText,
  "insecure-skip-tls-verify": v.optional(v.unknown()),
  "certificate-authority": KubeconfigText,
  "certificate-authority-data": KubeconfigText,
  "proxy-url": KubeconfigText,
  "disable-compression": v.optional(v.unknown()),
  extensions: list(
    v.object({ name: v.optional(v.unknown()), extension: v.optional(v.unknown()) }, "must be an object"),
  ),
}, missing);
export type KubeconfigCluster = v.InferOutput<typeof Cluster>;

const Contents = v.object({
  "current-context": KubeconfigText,
  clusters: list(v.object({ name: Name, cluster: Cluster }, missing)),
  contexts: list(
    v.object({ name: Name, context: v.object({ cluster: Name, user: KubeconfigText }, missing) }, missing),
  ),
  users: list(v.object({ name: Name, user: v.optional(v.unknown()) }, missing)), // only one is needed and parsed later
}, "the content is not a kubeconfig");

const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount", POD = "in-cluster";

/**
 * Reads the kubeconfig files. Skips missing files if at least one exists. For `in-cluster`, returns a kubeconfig with
 * the pod's service account.
 */
export async function readKubeconfigFiles(source: KubeconfigSource, files: FileReader): Promise<KubeconfigFile[]> {
  if (source === "in-cluster") return [{ folder: "", text: JSON.stringify(describeServiceAccount()) }];
  if (source.text !== undefined) return [{ folder: "", text: source.text }];
  const found: KubeconfigFile[] = [];
  let absent: unknown;
  for (const path of pathsOf(source.file ?? "")) {
    try {
      found.push({ folder: dirname(path), text: decodeUtf8(await files.read(path)) });
    } catch (cause) {
      absent = cause;
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw unreadableError(source, cause);
    }
  }
  if (found.length === 0) throw unreadableError(source, absent);
  return found;
}

/** Parses the kubeconfig. If it is invalid, throws a ClusterError `kubeconfig` that describes the problem. */
export function readKubeconfig(source: KubeconfigSource, texts: readonly KubeconfigFile[]): Kubeconfig {
  const fail = (why: string) => createKubeconfigError(capitalize(`${originOf(source)} ${why}`));
  const files = readOrThrow(source, () => texts.map(parseFile));
  const requestedName = source === "in-cluster" ? undefined : source.context;
  const name = requestedName ?? files.find((file) => file["current-context"])?.["current-context"];
  const contexts = files.flatMap((file) => file.contexts), found = contexts.find((each) => each.name === name);
  if (!found) {
    throw fail(`${name ? `has no context ${name}` : "has no current-context"}; available: ${namesOf(contexts)}`);
  }
  const { context } = found;
  const cluster = files.flatMap((file) => file.clusters).find((each) => each.name === context.cluster)?.cluster;
  if (!cluster) throw fail(`has no cluster ${context.cluster}`);
  if (!URL.canParse(cluster.server) || !/^https?:/.test(cluster.server)) {
    if (source !== "in-cluster") throw fail(`has an invalid server URL: ${cluster.server}`);
    throw createKubeconfigError("No kubeconfig is set, and the process is not running in a cluster");
  }
  const users = files.flatMap((file) => file.users), user = users.find((each) => each.name === context.user);
  if (context.user && !user) {
    const why = `has no user ${context.user}, which the context ${found.name} requires`;
    throw fail(`${why}; available: ${namesOf(users)}`);
  }
  return {
    context: found.name,
    server: new URL(cluster.server),
    cluster,
    // Like kubectl, sends anonymous requests if the context has no user.
    user: readOrThrow(source, user?.read ?? (() => readKubeUser({}, "nobody", "user", ""))),
  };
}

function parseFile({ text, folder }: KubeconfigFile) {
  const contents = parseKubeconfig(Contents, parse(text, { merge: true }));
  return {
    ...contents,
    clusters: contents.clusters.map(({ name, cluster }) => {
      const authority = resolveKubeconfigPath(cluster["certificate-authority"], folder);
      return { name, cluster: { ...cluster, "certificate-authority": authority } };
    }),
    users: contents.users.map(({ name, user }, i) => ({
      name,
      read: () => readKubeUser(user, name, `users[${i}].user`, folder),
    })),
  };
}

/** Returns a kubeconfig with the service account that Kubernetes mounts in each pod. */
function describeServiceAccount(): object {
  const cluster = { server: getInClusterServerUrl(), "certificate-authority": `${ACCOUNT}/ca.crt` };
  return {
    "current-context": POD,
    contexts: [{ name: POD, context: { cluster: POD, user: POD } }],
    clusters: [{ name: POD, cluster }],
    users: [{ name: POD, user: { tokenFile: `${ACCOUNT}/token` } }],
  };
}

function namesOf(entries: readonly { readonly name: string }[]): string {
  return entries.map(({ name }) => name).join(", ") || "none";
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

function capitalize(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
