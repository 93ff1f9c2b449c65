/** A client of the simulated cluster for tests. Returns complete answers. */
import { SILENT_LOG } from "#lib/base/log.ts";
import { loadApiKinds } from "#lib/dev/simulator/store/object.ts";
import { openSimulator, type Simulator, type SimulatorOptions } from "#lib/dev/simulator/open.ts";
import { until } from "#test/support/until.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export interface Answer {
  status: number;
  body: Json;
  warning: string | null;
  headers: Headers;
}

export interface Kube {
  simulator: Simulator;
  send(method: string, path: string, body?: Json, type?: string): Promise<Answer>;
  /** Returns the API path of an object. */
  path(object: Json): string;
  apply(object: Json, options?: string): Promise<Answer>;
  create(object: Json, options?: string): Promise<Answer>;
  get(object: Json): Promise<Answer>;
  patch(object: Json, change: Json, subresource?: string): Promise<Answer>;
  remove(object: Json, options?: Json): Promise<Answer>;
  /** Waits until the object meets the condition, and returns it. */
  when(object: Json, is: (live: Json) => boolean): Promise<Json>;
  gone(object: Json): Promise<void>;
  /** Waits until the Job has ended. Returns its result and the log of its last container. */
  run(job: Json): Promise<{ result: "Complete" | "Failed"; log: string[]; job: Json }>;
  logOf(namespace: string, job: string): Promise<string[]>;
  events(namespace: string): Promise<{ reason: string; message: string; object: string }[]>;
  close(): Promise<void>;
}

export async function openKube(options: Partial<SimulatorOptions> = {}): Promise<Kube> {
  const simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG, ...options });
  const kinds = loadApiKinds();
  const kube: Kube = {
    simulator,
    async send(method, path, body, type = "application/json") {
      const answer = await fetch(simulator.url + path, {
        method,
        headers: { "user-agent": "test/1", "content-type": type },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const json = answer.headers.get("content-type")?.startsWith("application/json") && !path.includes("watch=1");
      return {
        status: answer.status,
        body: json ? JSON.parse(text) : text,
        warning: answer.headers.get("warning"),
        headers: answer.headers,
      };
    },
    path(object) {
      const kind = kinds.of(object);
      if (!kind) throw new Error(`The simulated cluster does not know ${object.apiVersion} ${object.kind}`);
      const root = kind.group === "" ? "/api/v1" : `/apis/${kind.apiVersion}`;
      return `${root}${kind.namespaced ? `/namespaces/${object.metadata.namespace}` : ""}/${kind.plural}`;
    },
    apply: (object, more = "") =>
      kube.send(
        "PATCH",
        `${kube.path(object)}/${object.metadata.name}?fieldManager=wheelwright&force=true${more}`,
        object,
        "application/apply-patch+yaml",
      ),
    create: (object, more = "") => kube.send("POST", kube.path(object) + more, object),
    get: (object) => kube.send("GET", `${kube.path(object)}/${object.metadata.name}`),
    patch: (object, change, subresource = "") =>
      kube.send(
        "PATCH",
        `${kube.path(object)}/${object.metadata.name}${subresource}`,
        change,
        Array.isArray(change) ? "application/json-patch+json" : "application/merge-patch+json",
      ),
    remove: (object, deletion) => kube.send("DELETE", `${kube.path(object)}/${object.metadata.name}`, deletion),
    when: (object, is) =>
      until(async () => {
        const { status, body } = await kube.get(object);
        return status === 200 && is(body) ? body : null;
      }),
    gone: async (object) => void await until(async () => (await kube.get(object)).status === 404),
    async run(job) {
      const made = await kube.create(job);
      if (made.status !== 201) throw new Error(`The Job was not made: ${JSON.stringify(made.body)}`);
      const done = await kube.when(job, (live) => endOf(live) !== undefined);
      return { result: endOf(done), log: await kube.logOf(job.metadata.namespace, job.metadata.name), job: done };
    },
    async logOf(namespace, job) {
      const { body } = await kube.send("GET", `/api/v1/namespaces/${namespace}/pods?labelSelector=job-name%3D${job}`);
      const pod = body.items[0];
      if (!pod) return [];
      const statuses = [...pod.status.initContainerStatuses ?? [], ...pod.status.containerStatuses];
      const jobResult = statuses.find((each) => each.state.terminated?.exitCode > 0) ?? statuses.at(-1);
      const path = `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/log?container=${jobResult.name}`;
      const log = await kube.send("GET", path);
      return log.status === 200 ? log.body.split("\n").slice(0, -1) : [];
    },
    async events(namespace) {
      const { body } = await kube.send("GET", `/api/v1/namespaces/${namespace}/events`);
      return body.items.map(({ reason, message, involvedObject }: Json) => ({
        reason,
        message,
        object: `${involvedObject.kind}/${involvedObject.name}`,
      }));
    },
    close: () => simulator.close(),
  };
  return kube;
}

/** Creates a namespace. Returns the metadata for objects in it. */
export async function makeNamespace(kube: Kube, name: string, labels: Record<string, string> = {}): Promise<Json> {
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
  const { status, body } = await kube.create(space);
  if (status !== 201) throw new Error(`The namespace was not made: ${JSON.stringify(body)}`);
  return body;
}

export function job(namespace: string, name: string, script: string, more: Json = {}): Json {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace },
    spec: {
      backoffLimit: 0,
      ...more,
      template: {
        metadata: { labels: { job: name } },
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "m", image: "busybox:1.35", command: ["sh", "-c", script] }],
        },
      },
    },
  };
}

export function deployment(namespace: string, name: string, container: Json = {}): Json {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "m", image: "busybox:1.35", ...container }] },
      },
    },
  };
}

export function condition(object: Json, type: string): Json {
  return object.status?.conditions?.find((each: Json) => each.type === type);
}

function endOf(live: Json): Json {
  return live.status?.conditions?.find((each: Json) => /^(Complete|Failed)$/.test(each.type) && each.status === "True")
    ?.type;
}
