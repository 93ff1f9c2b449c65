/** Checks the results of a trial. Pure. A refusal proves something only if its reason is the tested one. */
import {
  failing,
  type Finding,
  listWords,
  passing,
  type ReadResult,
  unknownFinding,
  warning,
} from "#lib/doctor/finding.ts";
import type { DryRunResult, PodStart, TrialFacts } from "#lib/doctor/trial.ts";

export function checkTrial(trial: TrialFacts): Finding[] {
  if (!("seen" in trial.made)) {
    return [unknownFinding("trial", trial.made), ...("seen" in trial.gone ? [] : [checkNamespaceDeleted(trial)])];
  }
  return [
    checkPodSecurity(trial.security),
    checkQuotas(trial.quota, trial.limits),
    ...checkPodStarts(trial.starts),
    checkNetwork(trial.network),
    checkNamespaceDeleted(trial),
  ];
}

function checkPodSecurity(attempt: TrialFacts["security"]): Finding {
  const check = "pod security";
  if (attempt === null) {
    const hint = "Label it pod-security.kubernetes.io/enforce: restricted unless your images cannot bear it.";
    return warning(check, "the blueprint's namespace.yaml does not ask for the restricted standard", hint);
  }
  if (!("seen" in attempt)) return unknownFinding(check, attempt);
  if ("accepted" in attempt.seen) {
    const hint = "Let the API server run its PodSecurity admission plugin, which is on by default.";
    return failing(check, "a pod that breaks the restricted standard is let in", hint);
  }
  return attempt.seen.code === "PodSecurity"
    ? passing(check, "a pod that breaks the restricted standard is refused")
    : unknownFinding(check, { unseen: `the pod was refused, but for another reason: ${attempt.seen.refused}` });
}

function checkQuotas(quota: ReadResult<DryRunResult>, limits: ReadResult<DryRunResult>): Finding {
  const check = "quotas";
  const lax: string[] = [];
  for (
    const [attempt, code, name] of [[quota, "ExceededQuota", "ResourceQuota"], [
      limits,
      "LimitRange",
      "LimitRange",
    ]] as const
  ) {
    if (!("seen" in attempt)) return unknownFinding(check, attempt);
    // Kubernetes checks LimitRanges before quotas, so an object that the quota refuses has passed the LimitRange.
    const passed = "accepted" in attempt.seen || (code === "LimitRange" && attempt.seen.code === "ExceededQuota");
    if (passed) lax.push(`a ${name}`);
    else if (attempt.seen.code !== code) {
      return unknownFinding(check, {
        unseen: `what is over a ${name} was refused, but for another reason: ${attempt.seen.refused}`,
      });
    }
  }
  if (lax.length === 0) return passing(check, "what is over a ResourceQuota or LimitRange is refused");
  const hint = "Let the API server run its ResourceQuota and LimitRanger admission plugins, which are on by default.";
  return failing(check, `what is over ${listWords(lax)} is let in`, hint);
}

function checkPodStarts(starts: readonly ReadResult<PodStart>[]): Finding[] {
  const check = "images";
  const fine = starts.flatMap((start) => "seen" in start && start.seen.wrong === null ? [start.seen.image] : []);
  return [
    ...(fine.length > 0
      ? [passing(check, `${listWords(fine)} ${fine.length > 1 ? "were" : "was"} pulled and run`)]
      : []),
    ...starts.flatMap((start) => {
      if (!("seen" in start)) return [unknownFinding(check, start)];
      const { image, wrong, hint } = start.seen;
      return wrong === null ? [] : [failing(check, `${image} does not run: ${wrong}`, hint)];
    }),
  ];
}

/** Whether each server answered in one round, which means that `pg_isready` returned 0 or 1. */
interface Round {
  readonly open: boolean;
  readonly closed: boolean;
}

/** The number of consecutive rounds that must agree, because a single connection may fail for another reason. */
const STEADY = 3;

function checkNetwork(network: TrialFacts["network"]): Finding {
  const check = "network";
  if (!("seen" in network)) return unknownFinding(check, network);
  const before = lastRounds(network.seen.before), after = lastRounds(network.seen.after);
  if (before === null || after === null) {
    return unknownFinding(check, { unseen: "the pod that tried it left no word of what it found" });
  }
  if (!before.every(({ open, closed }) => open && closed)) {
    return unknownFinding(check, { unseen: "pods do not reach one another, even where no policy forbids it" });
  }
  if (after.every(({ open, closed }) => open && !closed)) {
    return passing(check, "what a NetworkPolicy forbids does not get through");
  }
  if (after.some(({ closed }) => closed)) {
    const hint = "Use a network plugin that enforces NetworkPolicies, such as Calico or Cilium; spokes rely on it.";
    return failing(check, "NetworkPolicies have no effect: what one forbids got through", hint);
  }
  return unknownFinding(check, { unseen: "the pods no longer reached one another at all" });
}

function lastRounds(lines: readonly string[]): readonly Round[] | null {
  const rounds = lines.flatMap((line) => {
    const found = /^open=(\d+) closed=(\d+)$/.exec(line.trim());
    return found ? [{ open: Number(found[1]) < 2, closed: Number(found[2]) < 2 }] : [];
  });
  return rounds.length < STEADY ? null : rounds.slice(-STEADY);
}

function checkNamespaceDeleted({ namespace, gone }: TrialFacts): Finding {
  if ("seen" in gone) return passing("trial", `the namespace ${namespace} is removed again`);
  const hint = `Look what holds it, then: kubectl delete namespace ${namespace}`;
  return failing("trial", `the namespace ${namespace} is not gone yet: ${gone.unseen}`, hint);
}
