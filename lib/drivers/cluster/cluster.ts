/**
 * Defines the interface to a Kubernetes cluster, which `openCluster` in open.ts implements. Every failed call throws a
 * ClusterError that says whether a retry can succeed. Calls in a namespace first verify the namespace's UID, because a
 * different namespace may reuse the name.
 */
import { DriverError, type DriverErrorOptions } from "#lib/base/errors.ts";
import { escapeInvisibleCharacters } from "#lib/base/readable.ts";

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
  finalizers?: string[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  // deno-lint-ignore no-explicit-any
  [field: string]: any;
}

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export function toObjectRef({ apiVersion, kind, metadata: { name } }: KubeObject): ObjectRef {
  return { apiVersion, kind, name };
}

/** A Kubernetes permission, for example the verb `create` on the resource `jobs`. Subresources look like `pods/log`. */
export interface ClusterPermission {
  readonly verb: string;
  /** The API group. Empty for Kubernetes' core group. */
  readonly group: string;
  readonly resource: string;
  /** The name of the only object that the permission covers. Absent if the permission covers all objects. */
  readonly name?: string;
}

/** Options for a call to the cluster: a signal that cancels the call, and a check that the caller may still act. */
export interface ClusterCall {
  readonly signal: AbortSignal;
  /**
   * Throws if the caller may no longer act, for example because its lease has ended. Called just before each request,
   * because a process that was paused could otherwise send a request before a timer aborts the signal.
   */
  readonly check?: () => void;
}

export interface ClusterWaitOptions extends ClusterCall {
  /** The maximum duration of the wait, in milliseconds. After this time, the wait throws a ClusterError `deadline`. */
  readonly timeout: number;
  /** Receives a progress message for users each time the message changes. */
  readonly onProgress?: (sentence: string) => void;
}

export interface JobWaitOptions extends ClusterWaitOptions {
  /**
   * Called when Wheelwright opens a Job's log, and when it reopens the log after a lost connection. Returns a function
   * that receives each log line and returns a progress message, or null if the line shows no progress.
   */
  readonly listen?: () => (line: string) => string | null;
}

/** Events and log lines that help explain a failure, copied so that they outlive the namespace. */
export interface FailureEvidence {
  /** The failed container's last 200 log lines, oldest first. */
  readonly log: readonly string[];
  /** The namespace's newest events (at most 100), oldest first. */
  readonly events: readonly { at: string; object: string; reason: string; message: string; count: number }[];
}

export interface ClusterErrorOptions extends DriverErrorOptions {
  /** The HTTP status of the response, or 0 if there was no response. */
  readonly status?: number;
  readonly evidence?: FailureEvidence | undefined;
  readonly cause?: unknown;
}

/**
 * A failed call to the cluster, or a wait that cannot succeed. `code` is either Kubernetes' reason (NotFound, Conflict,
 * ErrImagePull …) or a code from Wheelwright, such as `deadline`, `unreachable` or `ForeignNamespace` (a namespace that
 * Wheelwright did not create). `message` says what failed and includes the reason from the cluster.
 */
export class ClusterError extends DriverError {
  override readonly name = "ClusterError";
  readonly status: number;
  readonly evidence: FailureEvidence | undefined;

  constructor(code: string, message: string, options: ClusterErrorOptions) {
    super(code, escapeInvisibleCharacters(message), { blame: "cluster", ...options });
    this.cause = options.cause;
    this.status = options.status ?? 0;
    this.evidence = options.evidence;
  }
}

type ErrorDetails = Partial<Pick<ClusterError, "code" | "message" | "blame" | "hint" | "evidence">>;

export function addErrorDetails(error: ClusterError, more: ErrorDetails): ClusterError {
  const { transient, status, retryAfterMs, blame, hint, evidence } = error;
  const base = { transient, status, retryAfterMs, blame, hint, evidence, cause: error.cause ?? error };
  return new ClusterError(more.code ?? error.code, more.message ?? error.message, { ...base, ...more });
}

export interface JobResult {
  readonly succeeded: boolean;
  readonly name: string;
  readonly uid: string;
  /** Kubernetes' reason for the failure (BackoffLimitExceeded, DeadlineExceeded …). Null if the Job succeeded. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly exitCode: number | null;
  /** The last 200 log lines, oldest first: from the Job's pod, or from the failed container if the Job failed. */
  readonly log: readonly string[];
  /** Whether `log` includes the container's last line. If false, lines at the end may be missing. */
  readonly isLogComplete: boolean;
}

export type PatchOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** A namespace that Wheelwright created. Calls verify the namespace's UID if the last check is over a second old. */
export interface ClusterNamespace {
  readonly namespace: string;
  readonly uid: string;
  /** Applies the objects in the given order with server-side apply (field manager `wheelwright`, `force`). */
  apply(
    objects: readonly KubeObject[],
    call: ClusterCall,
  ): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** Returns what `apply` would return, but changes nothing (server-side dry run). */
  dryRun(
    objects: readonly KubeObject[],
    call: ClusterCall,
  ): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** Creates the object, or returns the existing object with the same name unchanged. */
  create(object: KubeObject, call: ClusterCall): Promise<KubeObject>;
  get(ref: ObjectRef, call: ClusterCall): Promise<KubeObject | null>;
  list(kind: Omit<ObjectRef, "name">, selector: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Applies a JSON Patch. If a `test` operation fails, throws a permanent ClusterError `Invalid` (status 422). */
  patch(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Returns what `patch` would return, but changes nothing (server-side dry run). */
  dryRunPatch(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Deletes the object that has this UID. Its dependents follow in the background. Succeeds if it is gone. */
  delete(ref: ObjectRef, uid: string, call: ClusterCall): Promise<void>;
  /**
   * Waits until all objects are ready, for example until an Ingress has an address. Objects of a kind without its own
   * rule in readiness.ts need a Ready or Available condition. Throws a permanent ClusterError with evidence (events and
   * a log) as soon as pods or events show that an object cannot become ready.
   */
  ready(refs: readonly ObjectRef[], waiting: ClusterWaitOptions): Promise<void>;
  /** Waits until all these objects have been deleted. Finalizers may delay the deletion. */
  gone(refs: readonly ObjectRef[], waiting: ClusterWaitOptions): Promise<void>;
  /** Waits until no pod that matches the selector is left. Ignores completed pods. */
  noPods(selector: string, waiting: ClusterWaitOptions): Promise<void>;
  /**
   * Creates the Job if it does not exist, waits until the Job succeeds or fails, and returns the result. Throws a
   * permanent ClusterError with events and a log if the Job cannot start, for example because its image is missing.
   */
  run(job: KubeObject, waiting: JobWaitOptions): Promise<JobResult>;
  follow(job: string, waiting: JobWaitOptions): Promise<JobResult>;
  /** Collects the namespace's current events and a container's log for a failure report. */
  evidence(call: ClusterCall): Promise<FailureEvidence>;
  /** Deletes this namespace and waits until it is gone. Does not delete a newer namespace with the same name. */
  remove(waiting: ClusterWaitOptions): Promise<void>;
}

export interface ObjectPageRequest {
  readonly selector: string;
  readonly limit: number;
  readonly next?: string;
}

export interface WatchStart {
  readonly selector: string;
  readonly version: string;
}

export interface ObjectPage {
  readonly items: KubeObject[];
  /** The token for requesting the next page. Null on the last page. */
  readonly next: string | null;
  /** The resource version of the list, which is the same for all its pages. A watch can start from this version. */
  readonly version: string;
}

export interface WatchedChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

export interface Cluster {
  readonly name: string;
  /** Creates the Namespace, or accepts one with the same ownership labels. Otherwise throws `ForeignNamespace`. */
  createNamespace(manifest: KubeObject, call: ClusterCall): Promise<{ uid: string }>;
  findNamespace(name: string, call: ClusterCall): Promise<KubeObject | null>;
  find(ref: ObjectRef, call: ClusterCall): Promise<KubeObject | null>;
  /**
   * Returns the UID of the namespace `kube-system`, which identifies the cluster, or null if that namespace does not
   * exist. Reads the UID on each call, because a changed kubeconfig may point to another cluster.
   */
  identity(call: ClusterCall): Promise<string | null>;
  space(namespace: string, uid: string): ClusterNamespace;
  /** Applies cluster-scoped objects, such as a ClusterIssuer, with server-side apply. */
  applyGlobal(objects: readonly KubeObject[], call: ClusterCall): Promise<void>;
  /** Creates the object, or returns the existing object with the same name unchanged. */
  createGlobal(object: KubeObject, call: ClusterCall): Promise<KubeObject>;
  /** Deletes the object if it has this UID. Succeeds if the object is already gone. */
  deleteGlobal(ref: ObjectRef, uid: string, call: ClusterCall): Promise<void>;
  /** Applies a JSON Patch. If a `test` operation fails, throws a permanent ClusterError `Invalid` (status 422). */
  patchGlobal(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Whether the API server serves this kind. Some kinds belong to optional components, such as cert-manager. */
  serves(kind: Omit<ObjectRef, "name">, call: ClusterCall): Promise<boolean>;
  /** Lists the objects of this kind that match the label selector, in all namespaces. */
  listAll(kind: Omit<ObjectRef, "name">, selector: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Lists the objects in a namespace, even after its deletion, because a forced deletion leaves objects behind. */
  listUnder(kind: Omit<ObjectRef, "name">, namespace: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Lists one page of a long list. If the token `next` has expired, throws a ClusterError with status 410. */
  listPage(kind: Omit<ObjectRef, "name">, page: ObjectPageRequest, call: ClusterCall): Promise<ObjectPage>;
  /**
   * Yields all changes to objects of this kind since the given version, and reconnects when a watch ends. Ends only by
   * throwing an error, for example a ClusterError with status 410 if the version has expired.
   */
  follow(kind: Omit<ObjectRef, "name">, from: WatchStart, call: ClusterCall): AsyncIterable<WatchedChange>;
  version(call: ClusterCall): Promise<string>;
  /** Whether Kubernetes grants Wheelwright this permission (checked by a SelfSubjectAccessReview). */
  allows(access: ClusterPermission, call: ClusterCall): Promise<boolean>;
  /** Returns the API server's URL, and how many milliseconds its clock is ahead of ours (0 if under 2 s). */
  about(): Promise<{ server: string; aheadMs: number }>;
  close(): Promise<void>;
}
