/** The account that the chart makes, with the rights that it gives, in a simulated cluster that asks for them. */
import { readFile } from "node:fs/promises";
import type { AccountRef } from "#lib/dev/simulator/access/users.ts";
import type { Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { readKinds } from "#lib/dev/simulator/store/kinds.ts";
import { readObjects } from "#test/support/chart.ts";

export const ACCOUNT: AccountRef = { namespace: "wheelwright", name: "wheelwright" };
export const CLUSTER_ROLE = "wheelwright-spoke";
const MANIFEST = new URL("../../deploy/kubernetes/cluster-role.yaml", import.meta.url);
const kinds = readKinds();

/** As somebody does who applies deploy/kubernetes/cluster-role.yaml. Gives back the account's kubeconfig. */
export async function giveRights(simulator: Simulator): Promise<string> {
  await putAsAdmin(simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name: ACCOUNT.namespace } });
  for (const object of readObjects(await readFile(MANIFEST, "utf8"))) await putAsAdmin(simulator, object);
  return simulator.kubeconfig(ACCOUNT);
}

/** Applies an object as who may do everything; what stands in a namespace goes into the account's. */
export async function putAsAdmin(simulator: Simulator, object: Json, query = ""): Promise<Json> {
  const { apiVersion, plural, namespaced } = kinds.of(object)!;
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const within = namespaced ? `/namespaces/${object.metadata.namespace ?? ACCOUNT.namespace}` : "";
  const path = `${root}${within}/${plural}/${object.metadata.name}?fieldManager=admin&force=true${query}`;
  const response = await fetch(simulator.url + path, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify(object),
  });
  const body: Json = await response.json();
  if (!response.ok) throw new Error(`${object.kind} ${object.metadata.name}: ${body.message}`);
  return body;
}
