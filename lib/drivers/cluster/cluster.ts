/**
 * Defines the interface to Kubernetes, which `openCluster` in open.ts implements. Every call takes a signal and has its
 * own deadline. Every failure is a ClusterError that states whether a retry can succeed. All calls in a namespace use
 * `ClusterNamespace`, which verifies the namespace's UID first, because another namespace may reuse the name.
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

export function objectRefOf({ apiVersion, kind, metadata: { name } }: KubeObject): ObjectRef {
  return { apiVersion, kind, name };
}

/** A permission in all namespaces, for example to `create` `jobs` in `batch`. A subresource is written `pods/log`. */
export interface ClusterAccess {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  /** The only object that the permission covers. Absent for all objects. */
  readonly name?: string;
}

/** The cancellation and permission checks of a call to the cluster. */
export interface ClusterCall {
  readonly signal: AbortSignal;
  /**
   * Throws if the caller may no longer act, for example without a lease. Called just before each request is sent. A
   * signal is not enough: a process that was paused may send a request before a timer aborts the signal.
   */
  readonly check?: () => void;
}

export interface ClusterWait extends ClusterCall {
  /** Milliseconds until the wait ends with a transient ClusterError `deadline`. */
  readonly timeout: number;
  /** Called with each new progress sentence. */
  readonly onProgress?: (sentence: string) => void;
}

export interface JobWait extends ClusterWait {
  /**
   * Called each time a log is read from its first line, also after a reconnect. Returns the function that receives each
   * line and may return a progress sentence. Without a sentence, the line itself is the progress.
   */
  readonly listen?: () => (line: string) => string | null;
}

/** The events and logs that explain a failure. They are kept after the namespace is deleted. */
export interface FailureEvidence {
  /** The last 200 log lines of the failed container, oldest first. */
  readonly log: readonly string[];
  /** The namespace's events, oldest first. */
  readonly events: readonly { at: string; object: string; reason: string; message: string; count: number }[];
}

export interface ClusterErrorOptions extends DriverErrorOptions {
  /** HTTP status of the response, or 0 without one. */
  readonly status?: number;
  readonly evidence?: FailureEvidence | undefined;
  readonly cause?: unknown;
}

/**
 * A failed call, or a wait for a state that cannot be reached. `code` is the cluster's reason (NotFound, Conflict,
 * Forbidden, ErrImagePull, ExceededQuota, BackoffLimitExceeded …) or one of Wheelwright's (deadline, unreachable;
 * stranger: somebody else's namespace). `message` says what failed, followed by the cluster's reason.
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

export function withErrorDetails(error: ClusterError, more: ErrorDetails): ClusterError {
  const { transient, status, retryAfterMs, blame, hint, evidence } = error;
  const base = { transient, status, retryAfterMs, blame, hint, evidence, cause: error.cause ?? error };
  return new ClusterError(more.code ?? error.code, more.message ?? error.message, { ...base, ...more });
}

export interface JobResult {
  readonly succeeded: boolean;
  readonly name: string;
  readonly uid: string;
  /** The cluster's reason if the Job failed (BackoffLimitExceeded, DeadlineExceeded, OOMKilled …). */
  readonly reason: string | null;
  readonly message: string | null;
  readonly exitCode: number | null;
  /** The last 200 log lines of the Job's pod, oldest first. After a failure, those of the failed container. */
  readonly log: readonly string[];
  /** Whether `log` ends with the last line. Otherwise lines may be missing. */
  readonly isLogComplete: boolean;
}

export type PatchOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** Calls in one namespace that Wheelwright created. The namespace's UID is verified at most once a second. */
export interface ClusterNamespace {
  readonly namespace: string;
  readonly uid: string;
  /** Applies the objects in this order by server-side apply, as field manager `wheelwright` with force. */
  apply(objects: readonly KubeObject[], call: ClusterCall): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** Returns what `apply` would return, by a server-side dry run. */
  dryRun(objects: readonly KubeObject[], call: ClusterCall): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** Creates the object, or returns the existing object of that name unchanged. */
  create(object: KubeObject, call: ClusterCall): Promise<KubeObject>;
  get(ref: ObjectRef, call: ClusterCall): Promise<KubeObject | null>;
  list(kind: Omit<ObjectRef, "name">, selector: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Applies a JSON Patch. A failed `test` is a permanent ClusterError with code `Invalid` (422). */
  patch(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Returns what `patch` would return, by a server-side dry run. */
  dryRunPatch(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Deletes the object with this UID, and its dependents in the background. Succeeds if the object is already gone. */
  delete(ref: ObjectRef, uid: string, call: ClusterCall): Promise<void>;
  /**
   * Waits until each object is ready: Deployment, StatefulSet, Job, PersistentVolumeClaim, Ingress with an address, or
   * any kind with a Ready or Available condition. Throws a permanent ClusterError with evidence as soon as pods or
   * events show that this is impossible.
   */
  ready(refs: readonly ObjectRef[], waiting: ClusterWait): Promise<void>;
  /** Waits until none of these objects exist. Finalizers may delay this. */
  gone(refs: readonly ObjectRef[], waiting: ClusterWait): Promise<void>;
  /** Waits until no pod matches the selector. Completed pods do not count. */
  noPods(selector: string, waiting: ClusterWait): Promise<void>;
  /**
   * Creates the Job unless it exists, waits until it succeeds or fails, and returns the result. Throws a permanent
   * ClusterError with evidence if the Job cannot start (image, quota …).
   */
  run(job: KubeObject, waiting: JobWait): Promise<JobResult>;
  follow(job: string, waiting: JobWait): Promise<JobResult>;
  /** Returns the namespace's current events and logs for a failure report. */
  evidence(call: ClusterCall): Promise<FailureEvidence>;
  /** Deletes the namespace with this UID, and waits until it is gone. */
  remove(waiting: ClusterWait): Promise<void>;
}

export interface PageRequest {
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
  /** The continue token. Null on the last page. */
  readonly next: string | null;
  /** The resource version of the list, the same for all its pages. A watch can start from it. */
  readonly version: string;
}

export interface WatchedChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

export interface Cluster {
  readonly name: string;
  /**
   * Creates the Namespace. Succeeds if a namespace with the same labels exists. Throws `stranger` if the labels differ.
   */
  createNamespace(manifest: KubeObject, call: ClusterCall): Promise<{ uid: string }>;
  findNamespace(name: string, call: ClusterCall): Promise<KubeObject | null>;
  find(ref: ObjectRef, call: ClusterCall): Promise<KubeObject | null>;
  /**
   * Returns the UID of the namespace kube-system, which identifies the cluster. Null if that namespace does not exist.
   * Reads the UID on each call, because a kubeconfig may later point to another cluster.
   */
  identity(call: ClusterCall): Promise<string | null>;
  space(namespace: string, uid: string): ClusterNamespace;
  /** Applies cluster-scoped objects by server-side apply, for example a ClusterIssuer. */
  applyGlobal(objects: readonly KubeObject[], call: ClusterCall): Promise<void>;
  /** Creates the object, or returns the existing object of that name unchanged. */
  createGlobal(object: KubeObject, call: ClusterCall): Promise<KubeObject>;
  /** Deletes the object if it has this UID. Succeeds if the object is already gone. */
  deleteGlobal(ref: ObjectRef, uid: string, call: ClusterCall): Promise<void>;
  /** Applies a JSON Patch. A failed `test` is a permanent ClusterError with code `Invalid` (422). */
  patchGlobal(ref: ObjectRef, operations: readonly PatchOperation[], call: ClusterCall): Promise<KubeObject>;
  /** Whether the API server serves this kind, for example of cert-manager or snapshots. */
  serves(kind: Omit<ObjectRef, "name">, call: ClusterCall): Promise<boolean>;
  /** Lists the objects of this kind with these labels in all namespaces. */
  listAll(kind: Omit<ObjectRef, "name">, selector: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Lists the objects in a namespace that may no longer exist. A forced deletion can leave objects behind. */
  listUnder(kind: Omit<ObjectRef, "name">, namespace: string, call: ClusterCall): Promise<KubeObject[]>;
  /** Lists one page of a long list. An expired `next` throws status 410. */
  listPage(kind: Omit<ObjectRef, "name">, page: PageRequest, call: ClusterCall): Promise<ObjectPage>;
  /**
   * Yields the changes since this version, and reconnects when a watch ends. Ends only by throwing: status 410 when the
   * version has expired.
   */
  follow(kind: Omit<ObjectRef, "name">, from: WatchStart, call: ClusterCall): AsyncIterable<WatchedChange>;
  version(call: ClusterCall): Promise<string>;
  /** Whether Wheelwright's credentials have this permission (SelfSubjectAccessReview). */
  allows(access: ClusterAccess, call: ClusterCall): Promise<boolean>;
  /** Returns the server's address, and the milliseconds by which its clock is ahead (0 below two seconds). */
  about(): Promise<{ server: string; aheadMs: number }>;
  close(): Promise<void>;
}
