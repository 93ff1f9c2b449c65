/**
 * Reads a kubeconfig user's credentials: certificates, headers, and an agent for a proxy. The Kubernetes library is not
 * used for plugins and providers: it waits for them forever, and its OpenID Connect provider always fails (plugin.ts,
 * oidc.ts).
 */
import type https from "node:https";
import type { FileReader } from "#lib/drivers/cluster/client/files.ts";
import type { Kubeconfig } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { type IdTokens, isIdTokenExpired, refreshIdToken } from "#lib/drivers/cluster/client/oidc.ts";
import { openExecPlugin } from "#lib/drivers/cluster/client/plugin.ts";
import { buildImpersonationHeaders, type KubeUser } from "#lib/drivers/cluster/client/user.ts";

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

export type ServerTls = Pick<https.RequestOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized">;

export interface ClusterCredentials {
  readonly tls: ServerTls;
  readonly headers: Record<string, string | string[]>;
  readonly agent?: https.RequestOptions["agent"];
}

/** Returns a function that reads the credentials. A plugin's credentials are cached until they expire. */
export function createCredentialReader(
  { cluster, user }: Kubeconfig,
  sources: CredentialSources,
): () => Promise<ClusterCredentials> {
  const { files } = sources, { "tls-server-name": servername, "proxy-url": proxyUrl } = cluster;
  const plugin = user.exec && openExecPlugin(user.exec, cluster, sources);
  const tokenOf = openToken(user, files);

  return async () => {
    const [ca, ownCert, ownKey] = await Promise.all([
      bytesOf(cluster["certificate-authority"], cluster["certificate-authority-data"], files),
      bytesOf(user["client-certificate"], user["client-certificate-data"], files),
      bytesOf(user["client-key"], user["client-key-data"], files),
    ]);
    const own = await tokenOf(), isSigned = own !== undefined || user.username !== undefined;
    // Like kubectl, calls neither a plugin nor a provider if the user has a token or a user name.
    const fromPlugin = isSigned ? {} : await plugin?.credential() ?? {};
    const bearer = own ?? fromPlugin.token ?? (isSigned ? undefined : await tokenOfProvider(user, sources));
    const tls: ServerTls = {
      ...(cluster["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
      ...(servername && { servername }),
      ...(ca && { ca }),
      ...(fromPlugin.cert
        ? { cert: fromPlugin.cert, key: fromPlugin.key! }
        : ownCert && { cert: ownCert, key: ownKey! }),
    };
    const headers = buildImpersonationHeaders(user);
    if (bearer !== undefined) headers.Authorization = `Bearer ${bearer.trim()}`;
    else if (user.username) headers.Authorization = basic(user.username, user.password ?? "");
    if (!proxyUrl) return { tls, headers };
    const { createProxyAgent } = await import("#lib/drivers/cluster/client/proxy-agent.ts");
    return { tls, headers, agent: await createProxyAgent(cluster.server, proxyUrl, tls) };
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

async function tokenOfProvider(user: KubeUser, sources: CredentialSources): Promise<string | undefined> {
  if (!user["auth-provider"]) return undefined;
  const { name, config } = user["auth-provider"];
  if (name !== "oidc") return config["access-token"]; // a type of provider that is older than exec plugins
  const { "id-token": idToken = "", "refresh-token": refreshToken = "" } = config;
  const tokens = sources.idTokens.get(refreshToken) ?? { idToken, refreshToken };
  if (!isIdTokenExpired(tokens.idToken, Date.now()) || !refreshToken) return tokens.idToken || undefined;
  const { "idp-certificate-authority": file, "idp-certificate-authority-data": data } = config;
  const provider = { config, ca: await bytesOf(file, data, sources.files), ms: sources.ms, signal: sources.signal };
  const renewed = await refreshIdToken(provider, tokens.refreshToken);
  sources.idTokens.set(refreshToken, renewed);
  return renewed.idToken;
}

async function bytesOf(file: string | undefined, data: string | undefined, files: FileReader) {
  if (data) return Buffer.from(data, "base64");
  return file ? await files.read(file) : undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
