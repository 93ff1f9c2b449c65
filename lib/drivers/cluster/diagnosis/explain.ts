/**
 * Explains a failed call or wait for a failure report: what failed, why, and the cluster's own message.
 * Messages from diagnose.ts are already complete, so they stay unchanged.
 */
import { capitalize } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { parseAdmissionRefusal } from "#lib/drivers/cluster/diagnosis/refusals.ts";
import { getKindPlural } from "#lib/drivers/cluster/client/kinds.ts";

export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly blame: FailureCause;
  readonly hint: string | undefined;
}

export function explainClusterError(error: ClusterError): Explanation {
  const { code, message, blame, hint } = error;
  const original = { code, message, blame, hint };
  const byCode = EXPLAINED_BY_CODE[code]?.(error);
  if (byCode) return { ...original, ...byCode };
  if (error.status >= 400) return { ...original, ...explainAnswer(error) };
  return original;
}

/** Explanations for the error codes that Wheelwright, not Kubernetes, defines. */
const EXPLAINED_BY_CODE: Readonly<Record<string, (error: ClusterError) => Partial<Explanation>>> = {
  unreachable: ({ message, cause }) => {
    const code = String((cause as { code?: unknown } | undefined)?.code ?? "");
    return {
      message: `The cluster cannot be reached: ${message}`,
      ...NETWORK_ERRORS[code] ??
        { hint: "Check that the cluster's API server is running and can be reached from here." },
    };
  },
  untrusted: ({ message }) => ({
    message: `The TLS connection to the cluster's API server failed: ${message}`,
    blame: "operator",
    hint: "Check the server's address and certificate-authority-data in the kubeconfig.",
  }),
  BadAnswer: ({ message }) => ({
    message: `The server at the cluster's address is not a Kubernetes API server: ${message}`,
  }),
  deadline: ({ message, hint }) =>
    message.includes("; last seen: ") ? { hint: hint ?? "Fix the problem that was last seen, then retry." } : {
      message: `The cluster's API server did not respond in time: ${message}`,
      hint: hint ?? "Check whether the cluster's API server is overloaded, then retry.",
    },
  stranger: ({ message }) => ({
    message,
    hint: "This namespace does not belong to Wheelwright. If nobody needs the namespace, delete it and retry. " +
      "Otherwise destroy the hub or spoke and create a new one.",
  }),
  Terminating: ({ message }) => ({
    message,
    blame: "operator",
    hint: "Somebody is deleting the namespace and its data. Destroy the hub or spoke and create a new one.",
  }),
};

const NETWORK_ERRORS: Readonly<Record<string, Partial<Explanation>>> = {
  ECONNREFUSED: {
    hint: "Check that the cluster's API server is running and that its address in the kubeconfig is right.",
  },
  ENOTFOUND: {
    blame: "operator",
    hint: "The host name does not exist. Check the server's address in the kubeconfig, and DNS.",
  },
  EAI_AGAIN: { hint: "The host name cannot be resolved. Check DNS, then the server's address in the kubeconfig." },
  EHOSTUNREACH: {
    hint: "There is no network route from here to the cluster. Check the network and firewalls in between.",
  },
  ETIMEDOUT: { hint: "The connection timed out. Check the network and firewall between here and the cluster." },
};

function explainAnswer(error: ClusterError): Partial<Explanation> {
  const { status, message, code } = error;
  const object = nameObject(error);
  if (status === 401) {
    return {
      message: `The cluster does not accept Wheelwright's credentials. It responded: ${message}`,
      hint: "Renew the credentials in the kubeconfig (token, client certificate or service account).",
    };
  }
  const refusal = parseAdmissionRefusal(message);
  const isKnown = refusal.code !== "Forbidden" || status === 403;
  if (isKnown && (status === 403 || status === 400 || status === 422 || refusal.heals === "later" && status >= 500)) {
    const { why, hint } = refusal;
    const sentence = `Cannot ${verbOf(error)} ${object} because ${why}: ${message}`;
    return { code: refusal.code, message: sentence, blame: "operator", hint };
  }
  if (status === 404 && /^namespaces "/.test(message)) {
    return {
      message: `The namespace no longer exists in the cluster: ${message}`,
      blame: "operator",
      hint: "Somebody deleted the namespace and its data. Destroy the hub or spoke and create a new one.",
    };
  }
  if (code === "NoKind") return { message: `The cluster does not support the kind of ${object}: ${message}` };
  if (status === 400 || status === 422 || code === "Invalid") {
    return {
      message: `The cluster rejected ${object} as invalid: ${message}`,
      blame: "operator",
      hint: "Correct the manifest in the blueprint (BLUEPRINT_DIR), or the setting that the field comes from.",
    };
  }
  if (status === 409) return { message: `Somebody else changed ${object} at the same time: ${message}` };
  if (status === 413) {
    return { message: `${capitalize(object)} is too large for the cluster: ${message}`, blame: "operator" };
  }
  if (status === 429) {
    return { message: `The cluster's API server is overloaded: ${message}`, hint: SERVER_TROUBLE_HINT };
  }
  if (status >= 500) {
    return {
      message: `The cluster's API server returned an error for ${object}: ${message}`,
      hint: SERVER_TROUBLE_HINT,
    };
  }
  return {};
}

const SERVER_TROUBLE_HINT = "Check the cluster's API server and etcd, then retry.";

/** Returns a name for the object of a failed call, such as "the deployment moodle", from its message or path. */
function nameObject({ message, cause }: ClusterError): string {
  const [, resource, name] =
    /(?:^|: )([A-Za-z][\w.-]*) "([^"]*)" (?:is (?:forbidden|invalid)|not found)/.exec(message) ??
      [];
  if (resource && name) return `the ${nameOf(resource)} ${name}`;
  const description = cause instanceof Error ? cause.message : "";
  const path = /\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?([a-z]+)(?:\/([^/?\s]+))?/.exec(description);
  if (!path) return "the requested object";
  const [, plural = "", called] = path;
  return called === undefined ? `a ${nameOf(plural)}` : `the ${nameOf(plural)} ${decodeURIComponent(called)}`;
}

/** Returns what the failed call tried to do, according to the error message or else the HTTP method. */
function verbOf({ message, cause }: ClusterError): "read" | "delete" | "write" {
  const description = cause instanceof Error ? cause.message : "";
  const word = / cannot (\w+) resource /.exec(message)?.[1] ?? /^(?:GET|DELETE)\b/.exec(description)?.[0].toLowerCase();
  if (word === "delete" || word === "deletecollection") return "delete";
  return word === "get" || word === "list" || word === "watch" ? "read" : "write";
}

const NAMED_KINDS = "Namespace Pod Service Secret ConfigMap LimitRange Deployment StatefulSet Job CronJob Ingress " +
  "NetworkPolicy Certificate ClusterIssuer VolumeSnapshot";

/** Display names for resources, keyed by the kind in lower case and by the kind's plural. */
const DISPLAY_NAMES = new Map([
  ...NAMED_KINDS.split(" ").map((kind) => [kind, kind.replace(/\B[A-Z]/, " $&").toLowerCase()] as const),
  ...[["PersistentVolumeClaim", "PersistentVolumeClaim"], ["ResourceQuota", "quota"]] as const,
].flatMap(([kind, name]) => [[kind.toLowerCase(), name], [getKindPlural(kind), name]] as const));

/** Returns the display name for a resource such as `deployments`, `deployments.apps` or `Deployment.apps`. */
function nameOf(resource: string): string {
  const plain = resource.split(".")[0]!.toLowerCase();
  return DISPLAY_NAMES.get(plain) ?? plain;
}
