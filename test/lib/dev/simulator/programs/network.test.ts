/** Tests NetworkPolicies in the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createFaultRegistry } from "#lib/dev/simulator/faults.ts";
import { loadApiKinds, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { canPodConnect } from "#lib/dev/simulator/programs/network.ts";
import { createObjectStore } from "#lib/dev/simulator/store/store.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import type { Json } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("mayConnect");

const pod = (name: string, namespace = "a") =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, uid: name, labels: { name } },
  }) as unknown as StoredObject;
const selector = (name: string) => ({ matchLabels: { name } });

function worldOf(...specs: Json[]): Simulation {
  const kinds = loadApiKinds(), store = createObjectStore();
  const save = (apiVersion: string, kind: string, metadata: Json, more: Json = {}) =>
    store.save({
      apiVersion,
      kind,
      metadata: { uid: metadata.name, ...metadata },
      ...more,
    });
  for (const name of ["a", "b"]) save("v1", "Namespace", { name, labels: { "kubernetes.io/metadata.name": name } });
  specs.forEach((spec, index) =>
    save("networking.k8s.io/v1", "NetworkPolicy", { name: `p${index}`, namespace: "a" }, { spec })
  );
  return { kinds, store, faults: createFaultRegistry() } as unknown as Simulation;
}

const connects = (world: Simulation, from = pod("client"), port = 5432) =>
  canPodConnect(world, from, pod("server"), port);

test("allows everything without policies", () => assert.ok(connects(worldOf())));

test("denies all traffic of selected pods for a policy without rules", () => {
  assert.not(connects(worldOf({ podSelector: selector("server"), policyTypes: ["Ingress"] })));
  assert.not(connects(worldOf({ podSelector: {}, policyTypes: ["Ingress"] })));
  assert.not(connects(worldOf({ podSelector: selector("client"), policyTypes: ["Egress"] })));
  assert.not(connects(worldOf({ podSelector: selector("server") })), "Ingress goes without saying");
  assert.ok(connects(worldOf({ podSelector: selector("server"), policyTypes: ["Egress"] })));
  assert.ok(connects(worldOf({ podSelector: selector("other"), policyTypes: ["Ingress", "Egress"] })));
});

test("allows a connection if one policy matches peer and port", () => {
  const closed = { podSelector: {}, policyTypes: ["Ingress"] };
  const from = [{ podSelector: selector("client") }], ports = [{ protocol: "TCP", port: 5432 }];
  const opened = { podSelector: selector("server"), policyTypes: ["Ingress"], ingress: [{ from, ports }] };
  assert.ok(connects(worldOf(closed, opened)));
  assert.not(connects(worldOf(closed, opened), pod("stranger")));
  assert.not(connects(worldOf(closed, opened), pod("client", "b")), "a pod selector means its own namespace");
  assert.not(connects(worldOf(closed, opened), pod("client"), 80));
});

test("matches all pods of the selected namespaces", () => {
  const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "b" } } }];
  const world = worldOf({ podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from }] });
  assert.ok(connects(world, pod("anybody", "b")));
  assert.not(connects(world, pod("anybody", "a")));
});

test("ignores policies if the network does not enforce them", () => {
  const world = worldOf({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  assert.not(connects(world));
  world.faults.add({ type: "open-network" });
  assert.ok(connects(world));
});

test.run();
