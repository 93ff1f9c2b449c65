/** Opens the cluster of `wheelwright dev`: a simulated one, or a real one from a kubeconfig. */
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { buildPublicUrl, type Config } from "#lib/base/config.ts";
import type { Log } from "#lib/base/log.ts";
import type { ClusterConnectionSource } from "../clusters.ts";
import { readSitePort, writeSitePort } from "../data-directory.ts";
import { createListenError } from "./listen-error.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";

export interface DevCluster {
  readonly source: ClusterConnectionSource;
  readonly description: string;
  /** The port on which simulated sites are served. Null if the cluster is real. */
  readonly sitePort: number | null;
  close(): Promise<void>;
}

export async function startSimulatedCluster(config: Config, log: Log): Promise<DevCluster> {
  const state = join(config.dataDir, "cluster.json");
  const { simulatorDelayMs: delayMs, simulatorFactor: measured } = config;
  const storedPort = await readSitePort(config.dataDir);
  const sites = { port: storedPort ?? (config.port + 80) % 65_536 };
  const simulator = await openSimulator({ delayMs, measured, state, sites, log });
  const sitePort = simulator.sitePort!;
  if (storedPort === null) await writeSitePort(config.dataDir, sitePort);
  else if (sitePort !== storedPort) {
    const text =
      `Port ${storedPort} for simulated sites is in use. Addresses of existing sites do not work until the next start`;
    log.warn(text, { port: sitePort });
  }
  return {
    source: { text: simulator.kubeconfig() },
    sitePort,
    description:
      `simulated, on ${simulator.url}; sites on port ${sitePort}. For a real cluster: npm start -- --kubeconfig FILE`,
    close: () => simulator.close(),
  };
}

export function realCluster(file: string): DevCluster {
  return { source: { file }, sitePort: null, description: `from ${file}`, close: () => Promise.resolve() };
}

/** Checks that the configured address is free first. Replaces port 0 with a free port, so that links can contain it. */
export function resolvePort(config: Config): Promise<Config> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause) => reject(createListenError(config, cause)));
    probe.listen(config.port, config.host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve({ ...config, port, publicUrl: buildPublicUrl(port, config) }));
    });
  });
}
