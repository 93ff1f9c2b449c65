/** Tests the checks of a trial's results: an unknown result is never reported as ok. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkTrialResults } from "#lib/doctor/check-trial.ts";
import type { TrialFacts } from "#lib/doctor/trial.ts";

const OPEN = "open=0 closed=0", CLOSED = "open=0 closed=2", NONE = "open=2 closed=2";
const three = (line: string) => [line, line, line];
const UNREADABLE = { error: "no answer within 10 s" };
const GOOD: TrialFacts = {
  namespace: "wheelwright-doctor-1",
  namespaceCreated: { value: true },
  podSecurity: { value: { refused: 'violates PodSecurity "restricted:latest"', code: "PodSecurity" } },
  quota: { value: { refused: "exceeded quota: doctor", code: "ExceededQuota" } },
  limitRange: { value: { refused: "maximum storage usage", code: "LimitRange" } },
  podStarts: [{ value: { image: "postgres:17", problem: null } }, { value: { image: "moodle:4.5", problem: null } }],
  network: { value: { before: three(OPEN), after: [OPEN, ...three(CLOSED)] } },
  namespaceDeleted: { value: true },
};
const network = (before: string[], after: string[]): Partial<TrialFacts> => ({
  network: { value: { before, after } },
});

const test = suite("checkTrialResults");

test("returns ok for a successful trial", () => {
  assert.equal(checkTrialResults(GOOD).map(({ level, message }) => `${level}: ${message}`), [
    "ok: a pod that violates the restricted standard is rejected",
    "ok: objects that exceed a ResourceQuota or LimitRange are rejected",
    "ok: postgres:17 and moodle:4.5 were pulled and started",
    "ok: NetworkPolicies are enforced",
    "ok: namespace wheelwright-doctor-1 was removed",
  ]);
});

const TABLE: [what: string, changes: Partial<TrialFacts>, findings: RegExp[]][] = [
  ["fails if an unsafe pod is accepted", { podSecurity: { value: { accepted: true } } }, [
    /^pod security failing: a pod that violates the restricted standard is accepted/,
  ]],
  ["warns if an unsafe pod is rejected for another reason", {
    podSecurity: { value: { refused: "admission webhook says no", code: "WebhookDenied" } },
  }, [/^pod security warning: could not be checked: the pod was rejected for another reason: admission webhook/]],
  ["warns if pod security could not be tested", { podSecurity: UNREADABLE }, [
    /^pod security warning: could not be checked/,
  ]],
  ["warns about a blueprint without the restricted standard", { podSecurity: null }, [
    /^pod security warning: the blueprint's/,
  ]],
  ["fails if a quota has no effect", { quota: { value: { accepted: true } } }, [
    /^quotas failing: objects that exceed a ResourceQuota are accepted/,
  ]],
  ["fails if a LimitRange has no effect, even if the quota rejects the object", {
    limitRange: { value: { refused: "exceeded quota: doctor", code: "ExceededQuota" } },
  }, [/^quotas failing: objects that exceed a LimitRange are accepted/]],
  ["returns one failure if both have no effect", {
    quota: { value: { accepted: true } },
    limitRange: { value: { accepted: true } },
  }, [/^quotas failing: objects that exceed a ResourceQuota and a LimitRange are accepted/]],
  ["warns if the quota has no status yet", {
    quota: { value: { refused: "status unknown for quota: doctor", code: "Forbidden" } },
  }, [/^quotas warning: could not be checked/]],
  ["fails if an image does not start, and reports the other image", {
    podStarts: [{ value: { image: "postgres:17", problem: null } }, {
      value: { image: "moodle:9", problem: "not found" },
    }],
  }, [/^images failing: moodle:9 does not start: not found/]],
  ["warns if an image was not pulled in time", {
    podStarts: [UNREADABLE, { value: { image: "moodle:4.5", problem: null } }],
  }, [/^images warning: could not be checked/]],
  ["fails if NetworkPolicies have no effect", network(three(OPEN), three(OPEN)), [
    /^network failing: NetworkPolicies are not enforced/,
  ]],
  [
    "fails if a blocked connection succeeds in one of the last rounds",
    network(three(OPEN), [CLOSED, CLOSED, OPEN, CLOSED]),
    [
      /^network failing/,
    ],
  ],
  ["counts a rejected login as a connection", network(three(OPEN), three("open=1 closed=1")), [
    /^network failing/,
  ]],
  ["warns if the pods never reach each other", network(three(NONE), three(CLOSED)), [
    /^network warning: could not be checked: pods cannot reach each other/,
  ]],
  ["warns if a server is unreachable before the policy", network(three(CLOSED), three(CLOSED)), [
    /^network warning: could not be checked: pods cannot reach each other/,
  ]],
  ["warns if no server is reachable after the policy", network(three(OPEN), three(NONE)), [
    /^network warning: could not be checked: the pods can no longer reach each other/,
  ]],
  ["warns after only two rounds", network(three(OPEN), [CLOSED, CLOSED]), [
    /^network warning: could not be checked: the test pod logged no result/,
  ]],
  ["warns about an empty log", network([], []), [/^network warning: could not be checked/]],
  ["warns if the network could not be tested", { network: UNREADABLE }, [/^network warning: could not be checked/]],
  ["fails if the namespace remains, with the command to delete it", { namespaceDeleted: UNREADABLE }, [
    /^trial failing: namespace wheelwright-doctor-1 still exists: no answer within 10 s/,
  ]],
  ["returns one warning if the namespace could not be created", { namespaceCreated: { error: "forbidden" } }, [
    /^trial warning: could not be checked: forbidden/,
  ]],
];
for (const [title, changes, findings] of TABLE) {
  test(title, () => {
    const problems = checkTrialResults({ ...GOOD, ...changes }).filter(({ level }) => level !== "ok");
    assert.is(problems.length, findings.length, JSON.stringify(problems));
    problems.forEach(({ check, level, message }, index) =>
      assert.match(`${check} ${level}: ${message}`, findings[index]!)
    );
  });
}

test.run();
