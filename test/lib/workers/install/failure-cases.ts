/** Defines failures of a cluster during an installation: the fault, and the expected report. */
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";

export interface FailureCase {
  /** The slug of the case's spoke. */
  readonly slug: string;
  readonly name: string;
  /** Faults; `NS` stands for the spoke's namespace. */
  readonly faults?: readonly SimulatorFault[];
  /** Changed inputs: path in blueprint_inputs and value. */
  readonly inputs?: readonly (readonly [path: string, value: unknown])[];
  readonly domain?: string;
  /** Milliseconds until the operation gives up. */
  readonly timeLimit?: number;
  readonly step: string;
  readonly code: string;
  readonly fault: "user" | "operator" | "cluster";
  readonly message: RegExp;
  readonly hint: RegExp;
  readonly log?: RegExp;
  /** The reason of an event that the report must contain. */
  readonly event?: string;
}

const IMAGE = "registry.example.org/moodle:4.5";
const image = (message?: string): Pick<FailureCase, "faults" | "inputs"> => ({
  inputs: [["images,moodle", IMAGE.replace(":", `-${message?.length ?? 0}:`)]],
  faults: [{ type: "missing-image", image: `moodle-${message?.length ?? 0}:`, ...(message ? { message } : {}) }],
});
export const CLUSTER_CASES: readonly FailureCase[] = [
  {
    slug: "absent",
    name: "an image that does not exist",
    ...image(),
    step: "install",
    code: "ErrImagePull",
    fault: "operator",
    message: /^The image \S+ cannot be pulled \(container \w+ of pod install-\S+\): failed to pull .*: not found$/,
    hint: /images\.yaml/,
    event: "BackOff",
  },
  {
    slug: "untold",
    name: "a version for which there is no image, chosen freely",
    inputs: [["images,moodle", "erseco/alpine-moodle:v4.1.99"], ["version", "4.1.99"]],
    faults: [{ type: "missing-image", image: "v4.1.99" }],
    step: "install",
    code: "ErrImagePull",
    fault: "user",
    message: /alpine-moodle:v4\.1\.99: not found$/,
    hint: /No image exists for version 4\.1\.99.*4\.5\.12/,
  },
  {
    slug: "denied",
    name: "a registry that refuses",
    ...image("pull access denied, repository does not exist or may require authorization: authorization failed"),
    step: "install",
    code: "ErrImagePull",
    fault: "operator",
    message: /cannot be pulled .*pull access denied/,
    hint: /credentials for its registry/,
    event: "Failed",
  },
  {
    slug: "limited",
    name: "a registry that limits pulls, for longer than is waited",
    ...image(
      "429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit",
    ),
    step: "install",
    code: "ErrImagePull",
    fault: "operator",
    message: /cannot be pulled .*toomanyrequests/,
    hint: /rate limit was reached.*mirror/,
  },
  {
    slug: "tight",
    name: "a quota that is too small for the pod",
    inputs: [["resources,quota,limits,memory", "768Mi"]],
    step: "install",
    code: "ExceededQuota",
    fault: "operator",
    message:
      /^Job install-\S+ cannot create its pod because the request for limits\.memory is higher than the quota spoke allows: .*exceeded quota: spoke, requested: /,
    hint: /Raise limits\.memory in the quota spoke \(sizes\.yaml\)/,
    event: "FailedCreate",
  },
  {
    slug: "narrow",
    name: "a quota that is too small for the claim",
    inputs: [["resources,quota,storage", "6Gi"]],
    step: "volumes",
    code: "ExceededQuota",
    fault: "operator",
    message:
      /^Cannot write the PersistentVolumeClaim files because the request for requests\.storage is higher than the quota spoke allows: persistentvolumeclaims "files" is forbidden: /,
    hint: /requests\.storage/,
  },
  {
    slug: "capped",
    name: "a container over the LimitRange's maximum",
    inputs: [["resources,largest,memory", "700Mi"]],
    step: "install",
    code: "LimitRange",
    fault: "operator",
    message:
      /because the LimitRange sets a maximum of memory per Container: .*maximum memory usage per Container is 700Mi/,
    hint: /sizes\.yaml/,
    event: "FailedCreate",
  },
  {
    slug: "classless",
    name: "a storage class that is not there",
    inputs: [["surroundings,storageClass", "nope"]],
    step: "database",
    code: "ProvisioningFailed",
    fault: "operator",
    message:
      /^No volume can be created for PersistentVolumeClaim data-db-0: storageclass\.storage\.k8s\.io "nope" not found$/,
    hint: /Create the storage class nope.*surroundings\.yaml/,
    event: "ProvisioningFailed",
  },
  {
    slug: "diskless",
    name: "a storage driver that makes no volume",
    faults: [{
      type: "no-volume",
      name: "NS/data-db-0",
      message: "rpc error: code = ResourceExhausted desc = pool full",
    }],
    step: "database",
    code: "ProvisioningFailed",
    fault: "operator",
    message: /PersistentVolumeClaim data-db-0: failed to provision volume with StorageClass "standard": .*pool full$/,
    hint: /driver of the storage class standard/,
    event: "ProvisioningFailed",
  },
  {
    slug: "crowded",
    name: "no node with enough processor",
    faults: [{
      type: "no-node",
      name: "NS/install-",
      message: "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption " +
        "victims found for incoming pod.",
    }],
    step: "install",
    code: "Unschedulable",
    fault: "operator",
    message: /^No node can run pod install-\S+: 0\/3 nodes are available: 3 Insufficient cpu\./,
    hint: /Add nodes with more cpu.*sizes\.yaml/,
    event: "FailedScheduling",
  },
  {
    slug: "tainted",
    name: "no node without a taint",
    faults: [{
      type: "no-node",
      name: "NS/db-0",
      message: "0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: gpu}. preemption: 0/2 nodes are " +
        "available: 2 Preemption is not helpful for scheduling.",
    }],
    step: "database",
    code: "Unschedulable",
    fault: "operator",
    message: /pod db-0: 0\/2 nodes are available: 2 node\(s\) had untolerated taint \{dedicated: gpu\}/,
    hint: /without the taint dedicated: gpu/,
  },
  {
    slug: "insecure",
    name: "pod security that refuses",
    faults: [{
      type: "deny",
      name: "NS/install-",
      kind: "Pod",
      message:
        'pods "install-x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (pod must ' +
        "not set securityContext.runAsNonRoot=false)",
    }],
    step: "install",
    code: "PodSecurity",
    fault: "operator",
    message: /because the pod violates the pod security level restricted:latest: .*runAsNonRoot != true/,
    hint: /securityContext/,
    event: "FailedCreate",
  },
  {
    slug: "policed",
    name: "an admission webhook that denies the pod",
    faults: [{
      type: "deny",
      name: "NS/db-0",
      kind: "Pod",
      message: 'admission webhook "validate.kyverno.svc-fail" denied the request: resource Pod/db-0 was blocked',
    }],
    step: "database",
    code: "WebhookDenied",
    fault: "operator",
    message:
      /^StatefulSet db cannot create its pod because the cluster's admission webhook validate\.kyverno\.svc-fail denies the request: /,
    hint: /webhook validate\.kyverno\.svc-fail/,
    event: "FailedCreate",
  },
  {
    slug: "netless",
    name: "a pod that gets no network on its node",
    faults: [{ type: "no-sandbox", name: "NS/db-0", message: 'plugin type="bridge" failed (add): no addresses left' }],
    step: "database",
    code: "FailedCreatePodSandBox",
    fault: "operator",
    message:
      /^Pod db-0 on the node 127\.0\.0\.1 did not get its network: .*: plugin type="bridge" .*no addresses left$/,
    hint: /container runtime on the node 127\.0\.0\.1\.$/,
    event: "FailedCreatePodSandBox",
  },
  {
    slug: "slow",
    name: "a database that is not up when there is no time left",
    faults: [{ type: "unready", name: "NS/db-0" }],
    timeLimit: 2500,
    step: "database",
    code: "deadline",
    fault: "cluster",
    message: /Waiting for StatefulSet db took longer than \d+ s; last seen: The database is starting, /,
    hint: /Fix the problem that was last seen/,
    event: "Unhealthy",
  },
];
