/**
 * Creates the agent for a proxy in front of an API server. Import this module only if there is a proxy, because loading
 * the Kubernetes library takes 1.1 s of CPU time and 79 MiB of memory. Its own import is static, so that bundles
 * contain only the class that is used.
 */
import type https from "node:https";
import { KubeConfig } from "@kubernetes/client-node";

export async function createProxyAgent(
  server: string,
  proxyUrl: string,
  tls: https.RequestOptions,
): Promise<https.RequestOptions["agent"]> {
  const config = new KubeConfig(), options: https.RequestOptions = { ...tls };
  config.loadFromClusterAndUser({ name: "proxied", server, proxyUrl, skipTLSVerify: false }, { name: "anonymous" });
  await config.applyToHTTPSOptions(options);
  return options.agent;
}
