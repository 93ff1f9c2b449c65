/**
 * Reads a kubeconfig user's credentials: certificates, headers, and an agent for a proxy. The Kubernetes library is
 * loaded only if there is a proxy, because it is 80 MB in size and takes most of a second to load.
 */
import type https from "node:https";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import type { Cluster } from "@kubernetes/client-node/dist/config_types.js";
import type { FileReader } from "#lib/drivers/cluster/client/files.ts";
import type { Kubeconfig } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { type IdTokens, isIdTokenExpired, refreshIdToken } from "#lib/drivers/cluster/client/oidc.ts";
import { openExecPlugin } from "#lib/drivers/cluster/client/plugin.ts";
import type { FileOrData, KubeUser } from "#lib/drivers/cluster/client/user.ts";

export interface CredentialSources {
  readonly files: FileReader;
  /** The time limit for a plugin or an OIDC provider, in milliseconds. */
  readonly ms: number;
  readonly late: (description: string) => Error;
  /** A signal that stops running plugins and requests to OIDC providers. */
  readonly signal: AbortSignal;
  /** The latest tokens, keyed by the kubeconfig's refresh token, which a provider may accept only once. */
  readonly idTokens: Map<string, IdTokens>;
}

type Tls = Pick<https.RequestOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized">;
type Headers = Record<string, string | string[]>;

export interface ClusterCredentials {
  readonly tls: Tls;
  readonly headers: Headers;
  readonly agent?: https.RequestOptions["agent"];
}

/** Returns a function that reads the credentials. A plugin's credentials are cached until they expire. */
export function createCredentialReader(
  config: Kubeconfig,
  sources: CredentialSources,
): () => Promise<ClusterCredentials> {
  const { cluster, user, clusterInfo } = config, { files } = sources;
  const settings = user.exec && { ...user.exec, cluster: user.exec.provideClusterInfo ? clusterInfo : null };
  const plugin = settings && openExecPlugin(settings, sources);
  const tokenOf = openToken(user, files);

  return async () => {
    const [ca, ownCert, ownKey] = await Promise.all([
      bytesOf({ file: cluster.caFile, data: cluster.caData }, files),
      bytesOf(user.cert, files),
      bytesOf(user.key, files),
    ]);
    const own = await tokenOf(), isSigned = own !== undefined || user.username !== undefined;
    // Like kubectl, calls neither a plugin nor a provider if the user has a token or a user name.
    const fromPlugin = isSigned ? {} : await plugin?.credential() ?? {};
    const bearer = own ?? fromPlugin.token ?? (isSigned ? undefined : await tokenOfProvider(user, sources));
    const tls: Tls = {
      ...(cluster.skipTLSVerify && { rejectUnauthorized: false }),
      ...(cluster.tlsServerName && { servername: cluster.tlsServerName }),
      ...(ca && { ca }),
      ...(fromPlugin.cert
        ? { cert: fromPlugin.cert, key: fromPlugin.key! }
        : ownCert && { cert: ownCert, key: ownKey! }),
    };
    const headers: Headers = { ...user.impersonation };
    if (bearer !== undefined) headers.Authorization = `Bearer ${bearer.trim()}`;
    else if (user.username) headers.Authorization = basic(user.username, user.password ?? "");
    return { tls, headers, ...(cluster.proxyUrl && { agent: await agentThroughProxy(cluster, tls) }) };
  };
}

/** Returns a function that reads the user's token from its file, or returns the last token if reading fails. */
function openToken({ token, tokenFile }: KubeUser, files: FileReader): () => Promise<string | undefined> {
  let last = token;
  return async () => {
    if (tokenFile === undefined) return token;
    try {
      last = (await files.read(tokenFile)).toString("utf8").trim() || last;
    } catch (error) {
      if (last === undefined) throw error;
    }
    return last;
  };
}

async function tokenOfProvider({ authProvider }: KubeUser, sources: CredentialSources): Promise<string | undefined> {
  if (!authProvider) return undefined;
  const { name, config } = authProvider;
  if (name !== "oidc") return config["access-token"]; // a type of provider that is older than exec plugins
  const { "id-token": idToken = "", "refresh-token": refreshToken = "" } = config;
  const tokens = sources.idTokens.get(refreshToken) ?? { idToken, refreshToken };
  if (!isIdTokenExpired(tokens.idToken, Date.now()) || !refreshToken) return tokens.idToken || undefined;
  const authority = { file: config["idp-certificate-authority"], data: config["idp-certificate-authority-data"] };
  const ca = await bytesOf(authority, sources.files);
  const renewed = await refreshIdToken({ config, ca, ms: sources.ms, signal: sources.signal }, tokens.refreshToken);
  sources.idTokens.set(refreshToken, renewed);
  return renewed.idToken;
}

async function agentThroughProxy({ caFile: _, ...cluster }: Cluster, tls: Tls) {
  const fullConfig: KubeConfig = new (await import("@kubernetes/client-node/dist/config.js")).KubeConfig();
  const base64 = (bytes: unknown) => bytes === undefined ? undefined : Buffer.from(bytes as Buffer).toString("base64");
  const caData = base64(tls.ca), certData = base64(tls.cert), keyData = base64(tls.key);
  // Turns off TLS verification for plain HTTP, which the Kubernetes library would otherwise refuse.
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith("http:");
  const user = { name: "proxied", ...(certData && keyData && { certData, keyData }) };
  fullConfig.loadFromClusterAndUser({ ...cluster, ...(caData && { caData }), skipTLSVerify }, user);
  const applied: https.RequestOptions = {};
  await fullConfig.applyToHTTPSOptions(applied as Parameters<KubeConfig["applyToHTTPSOptions"]>[0]);
  return applied.agent;
}

async function bytesOf({ file, data }: FileOrData, files: FileReader): Promise<Buffer | undefined> {
  if (data) return Buffer.from(data, "base64");
  return file ? await files.read(file) : undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
