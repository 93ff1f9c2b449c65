/** Tests changes of each field of each blueprint object, and values in another notation. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import { buildSampleSpokeInputs } from "#lib/moodle/releases.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findManifestMismatches } from "#lib/drivers/cluster/diff.ts";
import { blueprint as builtIn } from "#src/blueprints.ts";

const test = suite("findManifestMismatches");

async function manifests(): Promise<KubeObject[]> {
  const blueprint = await loadBlueprint(builtIn);
  const inputs = buildSampleSpokeInputs(blueprint, "small", blueprint.sizes.sizes["small"]!);
  return listExpectedObjects(blueprint, { inputs, maintenance: false }).filter(({ comparison: judged }) =>
    judged === "full"
  )
    .map(({ object }) => object);
}

type Path = readonly (string | number)[];

function leavesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...at, Array.isArray(value) ? +key : key]));
}

// deno-lint-ignore no-explicit-any
function changed(object: any, path: Path, change: (holder: any, key: string | number) => void): KubeObject {
  const copy = structuredClone(object);
  change(path.slice(0, -1).reduce((holder, key) => holder[key], copy), path.at(-1)!);
  return copy;
}

function damaged(value: unknown): unknown {
  return typeof value === "number" ? value + 1 : typeof value === "boolean" ? !value : `1${value}`;
}

test("finds every field that differs or is missing", async () => {
  let fields = 0;
  for (const manifest of await manifests()) {
    const title = `${manifest.kind} ${manifest.metadata.name}`;
    assert.equal(findManifestMismatches(manifest, manifest), [], title);
    for (const path of leavesOf(manifest).filter(([first]) => first !== "apiVersion" && first !== "kind")) {
      const other = changed(manifest, path, (holder, key) => holder[key] = damaged(holder[key]));
      assert.ok(findManifestMismatches(manifest, other).length > 0, `${title} ${path.join(".")} changed`);
      const gone = changed(manifest, path, (holder, key) => {
        if (Array.isArray(holder)) holder.splice(Number(key), 1);
        else delete holder[key];
      });
      assert.ok(findManifestMismatches(manifest, gone).length > 0, `${title} ${path.join(".")} gone`);
      fields++;
    }
  }
  assert.ok(fields > 400, `only ${fields} fields`);
});

test("ignores fields that the API server or others add", async () => {
  const deployment = (await manifests()).find(({ kind }) => kind === "Deployment")!;
  const there = structuredClone(deployment);
  Object.assign(there.metadata, { uid: "u", generation: 3, annotations: { ...there.metadata.annotations, more: "x" } });
  Object.assign(there["spec"], { revisionHistoryLimit: 10 });
  Object.assign(there["spec"].template.metadata, { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } });
  there["spec"].template.spec.containers.push({ name: "sidecar", image: "a mesh's" });
  there["spec"].template.spec.containers[0].env = [{ name: "MORE", value: "1" }];
  there["status"] = { replicas: 1 };
  assert.equal(findManifestMismatches(deployment, there), []);
});

test("compares quantities by value, and other text exactly", () => {
  const quota = (hard: object) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q" },
    spec: { hard },
  });
  assert.equal(
    findManifestMismatches(
      quota({ "limits.cpu": "1", memory: "1Gi" }),
      quota({ "limits.cpu": "1000m", memory: "1024Mi" }),
    ),
    [],
  );
  assert.equal(findManifestMismatches(quota({ "limits.cpu": "1" }), quota({ "limits.cpu": "2" })), [
    "spec.hard[limits.cpu]",
  ]);
  for (const field of ["limits", "requests", "max", "default", "defaultRequest"]) {
    const bounds = (cpu: string) => ({
      apiVersion: "v1",
      kind: "Any",
      metadata: { name: "b" },
      spec: { [field]: { cpu } },
    });
    assert.equal(findManifestMismatches(bounds("0.5"), bounds("500m")), [], field);
    assert.equal(findManifestMismatches(bounds("0.5"), bounds("501m")), [`spec.${field}.cpu`]);
  }
  const settings = (memory: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c" },
    data: { memory },
  });
  assert.equal(findManifestMismatches(settings("1"), settings("1000m")), ["data.memory"]);
});

test("finds extra items of atomic lists, and matches other items by their key", () => {
  const policy = (...egress: object[]) => ({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "n" } },
    spec: { egress },
  });
  assert.equal(findManifestMismatches(policy({ ports: [] }), policy({ ports: [] }, {})), ["spec.egress"]);
  assert.equal(findManifestMismatches(policy({ ports: [] }), policy({ ports: [], to: [] })), ["spec.egress[0]"]);
  const selecting = (podSelector: object) => ({ ...policy(), spec: { podSelector } });
  assert.equal(findManifestMismatches(selecting({}), selecting({ matchLabels: { role: "nobody" } })), [
    "spec.podSelector",
  ]);
  const pod = (...volumeMounts: object[]) => ({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
    spec: { containers: [{ name: "c", volumeMounts }] },
  });
  const a = { name: "files", mountPath: "/a" }, b = { name: "files", mountPath: "/b" };
  assert.equal(findManifestMismatches(pod(a, b), pod(b, a)), []);
  assert.equal(findManifestMismatches(pod(a, b), pod(b)), ["spec.containers[c].volumeMounts[/a]"]);
  assert.equal(findManifestMismatches(pod(), pod(a)), ["spec.containers[c].volumeMounts"]);
  const mounting = (...keys: string[]) => ({
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
    spec: { volumes: [{ name: "v", configMap: { items: keys.map((key) => ({ key, path: key })) } }] },
  });
  assert.equal(findManifestMismatches(mounting("a"), mounting("a", "b")), ["spec.volumes[v].configMap.items"]);
});

test.run();
