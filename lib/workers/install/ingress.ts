/**
 * Waits until a site is reachable: its Ingress has an address, and its TLS certificate is issued. A missing address
 * only adds a note to the operation, because some controllers never report one. A missing certificate is an error,
 * because the site's URL does not work without it.
 */
import { hasIssuanceFailed } from "#lib/drivers/cluster/diagnosis/certificate.ts";
import {
  addErrorDetails,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  type ObjectRef,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { addNotes, buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";
import { MINUTE } from "#lib/base/time.ts";

const CERTIFICATE = { apiVersion: "cert-manager.io/v1", kind: "Certificate" };
const CLASS = { apiVersion: "networking.k8s.io/v1", kind: "IngressClass" };
const ADDRESS_TIMEOUT = 2 * MINUTE; // maximum wait for an address; a cloud load balancer takes about a minute

/**
 * Waits until the site's Ingresses have an address and its certificates are issued. `host` is the domain of the
 * Ingresses. Without `host`, checks the spoke's current domain and ignores redirects from its former domains.
 */
export async function waitForIngresses(
  site: SpokeSite,
  run: JobRun,
  manifests: readonly KubeObject[],
  host: string | null = null,
): Promise<void> {
  const { app, space, cluster, spoke, inputs } = site;
  const former = host === null ? inputs.formerHosts ?? [] : [];
  const ingresses = manifests.filter((ingress) => !isRedirectFrom(ingress, former.map((each) => each.host)));
  for (const ingress of ingresses) await awaitAddress(site, run, ingress);
  const names = ingresses.flatMap((ingress) => ingress["spec"]?.tls ?? []).map(({ secretName }) => secretName);
  if (names.length === 0 || !await cluster.serves(CERTIFICATE, run)) return;
  const certificates = names.map((name) => ({ ...CERTIFICATE, name }));
  for (const certificate of certificates) await deleteFailedCertificate(space, run, certificate);
  try {
    await space.ready(certificates, buildClusterWaitOptions(run));
  } catch (error) {
    throw error instanceof ClusterError ? blameForDomain(error, host ?? spoke.domain, app.config.rootDomain) : error;
  }
}

function isRedirectFrom(ingress: KubeObject, hosts: readonly string[]): boolean {
  const rules: readonly { readonly host?: string }[] = ingress["spec"]?.rules ?? [];
  return rules.length > 0 && rules.every(({ host }) => host !== undefined && hosts.includes(host));
}

/**
 * Deletes a Certificate that could not be issued, so that it is created again from the Ingress. Otherwise, cert-manager
 * would wait an hour before the next attempt. A certificate that was issued before remains in its Secret.
 */
async function deleteFailedCertificate(space: ClusterNamespace, run: JobRun, ref: ObjectRef): Promise<void> {
  const found = await space.get(ref, run);
  if (found && hasIssuanceFailed(found)) await space.delete(ref, found.metadata.uid!, run);
}

/** Attributes a DNS error to the user, unless the domain is below the root domain, whose DNS the operator manages. */
function blameForDomain(error: ClusterError, domain: string, rootDomain: string | undefined): ClusterError {
  const own = rootDomain !== undefined && domain.endsWith(`.${rootDomain.toLowerCase()}`);
  if (own || !["DomainNotFound", "DomainNotHere"].includes(error.code)) return error;
  return addErrorDetails(error, { blame: "user" });
}

async function awaitAddress({ space, cluster }: SpokeSite, run: JobRun, ingress: KubeObject): Promise<void> {
  const name: string | undefined = ingress["spec"]?.ingressClassName;
  if (name !== undefined && !await hasClass(cluster, run, name)) {
    return await addNotes(run, [
      `The cluster has no ingress class ${name}, so the site cannot be reached from outside. ` +
      "Install its controller, or set another class as ingressClass (in surroundings.yaml or, per region, in CATALOG)",
    ]);
  }
  try {
    await space.ready([toObjectRef(ingress)], buildClusterWaitOptions(run, ADDRESS_TIMEOUT));
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    await addNotes(run, [
      "The site's Ingress has no address yet: check that the ingress controller is running and has one",
    ]);
  }
}

/**
 * Returns whether the IngressClass exists. Also returns true without permission to list the classes: if the class is
 * missing, the wait for the Ingress's address will time out.
 */
async function hasClass(cluster: SpokeSite["cluster"], run: JobRun, name: string): Promise<boolean> {
  try {
    const classes = await cluster.listAll(CLASS, "", run);
    return classes.some((each) => each.metadata.name === name);
  } catch (error) {
    if (error instanceof ClusterError && error.status === 403) return true;
    throw error;
  }
}
