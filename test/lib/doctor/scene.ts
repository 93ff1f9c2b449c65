/** Sets up a database, a simulated cluster and a configuration for doctor. */
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { readConfig } from "#lib/base/config.ts";
import { runChecks } from "#lib/doctor/doctor.ts";
import { type DoctorOptions } from "#lib/doctor/cluster-targets.ts";
import type { Finding, FindingSection } from "#lib/doctor/finding.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator, type SimulatorOptions } from "#lib/dev/simulator/open.ts";
import { blueprint } from "#src/blueprints.ts";
import { migrations } from "#src/migrations.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Intercept, type KubeProxy, openKubeProxy, type ProxiedRequest } from "./kube-proxy.ts";

export interface Scene {
  readonly simulator: Simulator;
  /** The path of the kubeconfig. */
  readonly file: string;
  /** Changes an object in the cluster with a JSON merge patch. Null deletes it. */
  change(path: string, patch: unknown): Promise<void>;
  create(path: string, object: unknown): Promise<void>;
  /** Writes another file, such as a kubeconfig. Returns its path. */
  write(name: string, text: string): Promise<string>;
  /** Creates a kubeconfig whose requests go through a proxy. The proxy ends with the scene. */
  proxy(intercept?: Intercept): Promise<{ readonly KUBECONFIG: string; readonly asked: readonly ProxiedRequest[] }>;
  /** Returns all sections of findings. */
  examine(changes?: Changes): Promise<FindingSection[]>;
  /** Returns the findings about the cluster. Runs the trial only if requested. */
  cluster(changes?: Changes): Promise<Finding[]>;
  close(): Promise<void>;
}

export interface Changes extends Partial<DoctorOptions> {
  readonly env?: Readonly<Record<string, string>>;
  readonly catalogText?: string;
}

/** An unused address, for tests that need no database. */
export const NO_DATABASE = "postgres://nobody@127.0.0.1:1/none";

export async function openScene(options: Partial<SimulatorOptions> = {}): Promise<Scene> {
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG, ...options });
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-doctor-"));
  const file = join(directory, "kubeconfig");
  await writeFile(file, simulator.kubeconfig());
  const send = async (method: string, path: string, body?: unknown, type = "application/json"): Promise<void> => {
    const answer = await fetch(simulator.url + path, {
      method,
      headers: { "content-type": type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  };
  const proxies: KubeProxy[] = [];
  const scene: Scene = {
    simulator,
    file,
    change: (path, patch) =>
      patch === null ? send("DELETE", path) : send("PATCH", path, patch, "application/merge-patch+json"),
    async proxy(intercept) {
      const between = await openKubeProxy(simulator.url, intercept);
      proxies.push(between);
      const KUBECONFIG = await scene.write(`between-${proxies.length}`, between.kubeconfig());
      return { KUBECONFIG, asked: between.requests };
    },
    async write(name, text) {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    },
    create: (path, object) => send("POST", path, object),
    async examine({ env = {}, catalogText, ...changes } = {}) {
      const places = { DATABASE_URL: NO_DATABASE, KUBECONFIG: file };
      const variables = { ...places, PUBLIC_URL: "http://localhost", ROOT_DOMAIN: "localhost", ...env };
      const loaded = await loadBlueprint(blueprint);
      const sections: FindingSection[] = [];
      const examination: DoctorOptions = {
        config: readConfig({ mode: "serve", env: variables, terminal: false }),
        blueprint: loaded,
        catalog: loadCatalog(catalogText, loaded),
        providers: [],
        migrations,
        version: "test",
        region: null,
        trial: false,
        log: SILENT_LOG,
        signal: new AbortController().signal,
        report: () => {},
        ...changes,
      };
      for await (const section of runChecks(examination)) sections.push(section);
      return sections;
    },
    async cluster(changes) {
      return (await scene.examine(changes)).filter(({ target: place }) => place === "cluster").flatMap(({ findings }) =>
        findings
      );
    },
    async close() {
      for (const between of proxies) await between.close();
      await simulator.close();
      await rm(directory, { recursive: true });
    },
  };
  return scene;
}

/** Returns the findings of one check as `LEVEL MESSAGE`. */
export function findingsOf(findings: readonly Finding[], check: string): string[] {
  return findings.filter((finding) => finding.check === check).map(({ level, message }) => `${level} ${message}`);
}
