/** Turns the results of a trial (tests in a temporary namespace) into findings. Contains only pure functions. */
import { formatList } from "#lib/base/text.ts";
import {
  createFailure,
  createPass,
  createUncheckedFinding,
  createWarning,
  type Finding,
  type ReadResult,
} from "#lib/doctor/finding.ts";
import type { DryRunResult, PodStart, TrialFacts } from "#lib/doctor/trial.ts";

export function checkTrialResults(trial: TrialFacts): Finding[] {
  if (!("value" in trial.namespaceCreated)) {
    return [
      createUncheckedFinding("trial", trial.namespaceCreated),
      ...("value" in trial.namespaceDeleted ? [] : [checkNamespaceDeleted(trial)]),
    ];
  }
  return [
    checkPodSecurity(trial.podSecurity),
    checkQuotas(trial.quota, trial.limitRange),
    ...checkPodStarts(trial.podStarts),
    checkNetwork(trial.network),
    checkNamespaceDeleted(trial),
  ];
}

function checkPodSecurity(attempt: TrialFacts["podSecurity"]): Finding {
  const check = "pod security";
  if (attempt === null) {
    const hint =
      "Add the label pod-security.kubernetes.io/enforce: restricted, unless your images need more privileges.";
    return createWarning(check, "the blueprint's namespace.yaml does not enforce the restricted standard", hint);
  }
  if (!("value" in attempt)) return createUncheckedFinding(check, attempt);
  if ("accepted" in attempt.value) {
    const hint = "Enable the PodSecurity admission plugin of the API server, which is on by default.";
    return createFailure(check, "a pod that violates the restricted standard is accepted", hint);
  }
  return attempt.value.code === "PodSecurity"
    ? createPass(check, "a pod that violates the restricted standard is rejected")
    : createUncheckedFinding(check, { error: `the pod was rejected for another reason: ${attempt.value.refused}` });
}

function checkQuotas(quota: ReadResult<DryRunResult>, limits: ReadResult<DryRunResult>): Finding {
  const check = "quotas";
  const unenforced: string[] = [];
  for (
    const [attempt, code, name] of [[quota, "ExceededQuota", "ResourceQuota"], [
      limits,
      "LimitRange",
      "LimitRange",
    ]] as const
  ) {
    if (!("value" in attempt)) return createUncheckedFinding(check, attempt);
    // If the quota rejected the object, the LimitRange allowed it, because Kubernetes checks LimitRanges first.
    const passed = "accepted" in attempt.value || (code === "LimitRange" && attempt.value.code === "ExceededQuota");
    if (passed) unenforced.push(`a ${name}`);
    else if (attempt.value.code !== code) {
      return createUncheckedFinding(check, {
        error: `an object that exceeds the ${name} was rejected for another reason: ${attempt.value.refused}`,
      });
    }
  }
  if (unenforced.length === 0) {
    return createPass(check, "objects that exceed a ResourceQuota or LimitRange are rejected");
  }
  const hint = "Enable the API server's admission plugins ResourceQuota and LimitRanger, which are on by default.";
  return createFailure(check, `objects that exceed ${formatList(unenforced)} are accepted`, hint);
}

function checkPodStarts(starts: readonly ReadResult<PodStart>[]): Finding[] {
  const check = "images";
  const startedImages = starts.flatMap((start) =>
    "value" in start && start.value.problem === null ? [start.value.image] : []
  );
  return [
    ...(startedImages.length > 0
      ? [
        createPass(
          check,
          `${formatList(startedImages)} ${startedImages.length > 1 ? "were" : "was"} pulled and started`,
        ),
      ]
      : []),
    ...starts.flatMap((start) => {
      if (!("value" in start)) return [createUncheckedFinding(check, start)];
      const { image, problem, hint } = start.value;
      return problem === null ? [] : [createFailure(check, `${image} does not start: ${problem}`, hint)];
    }),
  ];
}

/** Which of the two test databases a probe reached. A database is reachable if `pg_isready` returns 0 or 1. */
interface ProbeRound {
  readonly open: boolean;
  readonly closed: boolean;
}

/** The number of consecutive probes that must agree, because a single probe can fail for an unrelated reason. */
const CONSECUTIVE_ROUNDS = 3;

function checkNetwork(network: TrialFacts["network"]): Finding {
  const check = "network";
  if (!("value" in network)) return createUncheckedFinding(check, network);
  const before = parseLastRounds(network.value.before), after = parseLastRounds(network.value.after);
  if (before === null || after === null) {
    return createUncheckedFinding(check, { error: "the test pod logged no result" });
  }
  if (!before.every(({ open, closed }) => open && closed)) {
    return createUncheckedFinding(check, { error: "pods cannot reach each other, even without a NetworkPolicy" });
  }
  if (after.every(({ open, closed }) => open && !closed)) {
    return createPass(check, "NetworkPolicies are enforced");
  }
  if (after.some(({ closed }) => closed)) {
    const hint = "To isolate spokes, use a network plugin that enforces NetworkPolicies, such as Calico or Cilium.";
    return createFailure(check, "NetworkPolicies are not enforced: a blocked connection succeeded", hint);
  }
  return createUncheckedFinding(check, { error: "the pods can no longer reach each other" });
}

function parseLastRounds(lines: readonly string[]): readonly ProbeRound[] | null {
  const rounds = lines.flatMap((line) => {
    const match = /^open=(\d+) closed=(\d+)$/.exec(line.trim());
    return match ? [{ open: Number(match[1]) < 2, closed: Number(match[2]) < 2 }] : [];
  });
  return rounds.length < CONSECUTIVE_ROUNDS ? null : rounds.slice(-CONSECUTIVE_ROUNDS);
}

function checkNamespaceDeleted({ namespace, namespaceDeleted }: TrialFacts): Finding {
  if ("value" in namespaceDeleted) return createPass("trial", `namespace ${namespace} was removed`);
  const hint = `Check what blocks the deletion, then run: kubectl delete namespace ${namespace}`;
  return createFailure("trial", `namespace ${namespace} still exists: ${namespaceDeleted.error}`, hint);
}
