/**
 * What the rest of the program knows of Kubernetes: the contract of `openCluster` in open.ts.
 *
 * Every call takes a signal and has a deadline of its own; every failure is a ClusterError that says whether trying
 * again can help. Whatever happens inside a namespace goes through `Space`, which checks the namespace's uid first:
 * a name may be taken by somebody else, a uid never.
 */
import { DriverError, type DriverErrorOptions } from "#lib/base/errors.ts";
import { makeReadable } from "#lib/base/readable.ts";

export interface Meta {
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

/** Any object of any kind, as the API server sends and takes it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  // deno-lint-ignore no-explicit-any
  [field: string]: any;
}

/** Which object: its kind with the API version, and its name. */
export interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export function refOf({ apiVersion, kind, metadata: { name } }: KubeObject): Ref {
  return { apiVersion, kind, name };
}

/** What somebody may do, in all namespaces: `create` of `jobs` in `batch`; a subresource is `pods/log`. */
export interface ClusterAccess {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  /** The only object that it is about; all objects without it. */
  readonly name?: string;
}

/** Who calls, and until when. */
export interface Call {
  readonly signal: AbortSignal;
  /**
   * Throws unless they still may. Asked for each request, when the connection stands and nothing of it is sent: a process
   * that was stopped and goes on reads what lies in its sockets before any timer can abort a signal.
   */
  readonly check?: () => void;
}

export interface ClusterWait extends Call {
  /** Milliseconds until waiting is given up with a transient ClusterError `deadline`. */
  readonly timeout: number;
  /** Told, in a plain sentence, what is being waited for whenever that changes. */
  readonly onProgress?: (sentence: string) => void;
}

/** Who waits for a Job, and listens to what it says. */
export interface JobWait extends ClusterWait {
  /**
   * Called for each reading of a log, which begins with its first line: also after a connection was cut. What it returns is
   * told each line; a sentence in return is told as progress from then on, in place of the line itself.
   */
  readonly listen?: () => (line: string) => string | null;
}

/** What stays of a failure when its namespace is long gone. */
export interface Evidence {
  /** The last 200 lines of the failing pod's failing container, oldest first. */
  readonly log: readonly string[];
  /** The namespace's events, oldest first. */
  readonly events: readonly { at: string; object: string; reason: string; message: string; count: number }[];
}

export interface ClusterErrorOptions extends DriverErrorOptions {
  /** HTTP status of the answer, 0 where there was none. */
  readonly status?: number;
  readonly evidence?: Evidence | undefined;
  readonly cause?: unknown;
}

/**
 * A call that failed, or something that was waited for and cannot come. `code` is the cluster's own reason (NotFound,
 * Conflict, Forbidden, ErrImagePull, ExceededQuota, BackoffLimitExceeded …) or ours (deadline, unreachable,
 * stranger: the namespace is not the one we made). `message` says what could not be done, then why, in the cluster's words.
 */
export class ClusterError extends DriverError {
  override readonly name = "ClusterError";
  readonly status: number;
  readonly evidence: Evidence | undefined;

  constructor(code: string, message: string, options: ClusterErrorOptions) {
    super(code, makeReadable(message), { blame: "cluster", ...options });
    this.cause = options.cause;
    this.status = options.status ?? 0;
    this.evidence = options.evidence;
  }
}

type ErrorDetails = Partial<Pick<ClusterError, "code" | "message" | "blame" | "hint" | "evidence">>;

/** The same failure, told with more than was known where it arose. */
export function withErrorDetails(error: ClusterError, more: ErrorDetails): ClusterError {
  const { transient, status, retryAfterMs, blame, hint, evidence } = error;
  const known = { transient, status, retryAfterMs, blame, hint, evidence, cause: error.cause ?? error };
  return new ClusterError(more.code ?? error.code, more.message ?? error.message, { ...known, ...more });
}

export interface JobResult {
  readonly succeeded: boolean;
  readonly name: string;
  readonly uid: string;
  /** The cluster's reason and message when it did not succeed (BackoffLimitExceeded, DeadlineExceeded, OOMKilled …). */
  readonly reason: string | null;
  readonly message: string | null;
  readonly exitCode: number | null;
  /** The last 200 lines of its pod's log (of the container that failed, if one did), oldest first. */
  readonly log: readonly string[];
  /** Whether that is what it said to its end. If it could not be read so, what is missing may have been said. */
  readonly isLogComplete: boolean;
}

export type PatchOperation =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** One namespace of ours. Before the first of its calls, and again whenever a second has passed, its uid is checked. */
export interface Space {
  readonly namespace: string;
  readonly uid: string;
  /** Server-side apply as field manager `wheelwright`, forced, in the order given. Warnings come back with the objects. */
  apply(objects: readonly KubeObject[], call: Call): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** The same as a server-side dry run: what would stand there afterwards. Nothing is written. */
  dryRun(objects: readonly KubeObject[], call: Call): Promise<{ objects: KubeObject[]; warnings: string[] }>;
  /** POST; an object of that name that is there already is left as it is and returned. */
  create(object: KubeObject, call: Call): Promise<KubeObject>;
  get(ref: Ref, call: Call): Promise<KubeObject | null>;
  list(kind: Omit<Ref, "name">, selector: string, call: Call): Promise<KubeObject[]>;
  /** JSON Patch. A failed `test` is a permanent ClusterError with code `Invalid` (422). */
  patch(ref: Ref, operations: readonly PatchOperation[], call: Call): Promise<KubeObject>;
  /** The same as a server-side dry run: what would stand there afterwards. Nothing is written. */
  dryRunPatch(ref: Ref, operations: readonly PatchOperation[], call: Call): Promise<KubeObject>;
  /** Deletes exactly the object with this uid, its dependents in the background; gone already is success. */
  delete(ref: Ref, uid: string, call: Call): Promise<void>;
  /**
   * Waits until each object is ready (Deployment, StatefulSet, Job, PVC, Ingress with an address, anything with a Ready or
   * Available condition), or throws a permanent ClusterError with evidence as soon as the pods' waiting reasons or
   * the owners' events say that it cannot become so.
   */
  ready(refs: readonly Ref[], waiting: ClusterWait): Promise<void>;
  /** Waits until none of these objects is there any more; what was deleted may be held by finalizers. */
  gone(refs: readonly Ref[], waiting: ClusterWait): Promise<void>;
  /** Waits until no pod that matches the selector is left, but for those that have ended. */
  noPods(selector: string, waiting: ClusterWait): Promise<void>;
  /**
   * Creates the Job unless it exists, waits until it has succeeded or failed, and returns how, with its last log lines,
   * which were followed while it ran. What cannot start (image, quota …) throws a permanent ClusterError with evidence.
   */
  run(job: KubeObject, waiting: JobWait): Promise<JobResult>;
  /** Waits for a Job that is there already, like `run`. */
  follow(job: string, waiting: JobWait): Promise<JobResult>;
  /** Events and logs of the namespace as they stand, for a failure report. */
  evidence(call: Call): Promise<Evidence>;
  /** Deletes the namespace itself, with its uid as a precondition, and waits until it answers 404. */
  remove(waiting: ClusterWait): Promise<void>;
}

export interface PageRequest {
  readonly selector: string;
  /** Objects at most. */
  readonly limit: number;
  /** What the page before ended with. */
  readonly next?: string;
}

export interface WatchStart {
  readonly selector: string;
  readonly version: string;
}

export interface ObjectPage {
  readonly items: KubeObject[];
  /** Null after the last one. */
  readonly next: string | null;
  /** Of which moment the list is, all its pages: from where to watch. */
  readonly version: string;
}

export interface WatchedChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

export interface Cluster {
  readonly name: string;
  /** POSTs the Namespace. One of that name whose labels say that it is for the same is ours already; any other is `stranger`. */
  createNamespace(manifest: KubeObject, call: Call): Promise<{ uid: string }>;
  /** uid, labels and phase of a namespace, or null. */
  findNamespace(name: string, call: Call): Promise<KubeObject | null>;
  /** An object that belongs to no namespace, or null. */
  find(ref: Ref, call: Call): Promise<KubeObject | null>;
  /**
   * What tells this cluster from every other, whatever it is called and wherever it is reached: the uid of its namespace
   * kube-system. Null if it has none. Asked anew each time, since a kubeconfig may come to lead elsewhere.
   */
  identity(call: Call): Promise<string | null>;
  space(namespace: string, uid: string): Space;
  /** Server-side apply of objects that belong to no namespace (a ClusterIssuer). */
  applyGlobal(objects: readonly KubeObject[], call: Call): Promise<void>;
  /** POST; an object of that name that is there already is left as it is and returned. */
  createGlobal(object: KubeObject, call: Call): Promise<KubeObject>;
  /** Deletes exactly the object with this uid; gone already is success. */
  deleteGlobal(ref: Ref, uid: string, call: Call): Promise<void>;
  /** JSON Patch of an object that belongs to no namespace. A failed `test` is a permanent ClusterError `Invalid` (422). */
  patchGlobal(ref: Ref, operations: readonly PatchOperation[], call: Call): Promise<KubeObject>;
  /** Whether the API server knows this kind (cert-manager, snapshots). */
  serves(kind: Omit<Ref, "name">, call: Call): Promise<boolean>;
  /** Any objects of this kind and label, in all namespaces: for "nothing labelled remains". */
  listAll(kind: Omit<Ref, "name">, selector: string, call: Call): Promise<KubeObject[]>;
  /** What stands under a namespace's name, even where the namespace itself answers 404: one that was forced leaves such. */
  listUnder(kind: Omit<Ref, "name">, namespace: string, call: Call): Promise<KubeObject[]>;
  /** One page of such a list, for a caller that goes through more than fits into memory. An expired `next` is status 410. */
  listPage(kind: Omit<Ref, "name">, page: PageRequest, call: Call): Promise<ObjectPage>;
  /**
   * What changes after a list of this version, for as long as somebody reads; a watch that breaks off is gone on with. Ends
   * only by throwing: status 410 where the cluster no longer knows what has changed since.
   */
  follow(kind: Omit<Ref, "name">, from: WatchStart, call: Call): AsyncIterable<WatchedChange>;
  /** Server version, for start-up and doctor. */
  version(call: Call): Promise<string>;
  /** Whether our credentials may do this, by the API server's own word (SelfSubjectAccessReview). Changes nothing. */
  allows(access: ClusterAccess, call: Call): Promise<boolean>;
  /** Where it is, and how many milliseconds its clock is ahead of ours by its last answer (0: under two seconds). */
  about(): Promise<{ server: string; aheadMs: number }>;
  close(): Promise<void>;
}
