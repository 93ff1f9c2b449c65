/** Tests the checks of a trial: what was not determined is never called good. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkTrial } from "#lib/doctor/check-trial.ts";
import type { TrialFacts } from "#lib/doctor/trial.ts";

const OPEN = "open=0 closed=0", CLOSED = "open=0 closed=2", NONE = "open=2 closed=2";
const three = (line: string) => [line, line, line];
const UNSEEN = { error: "no answer within 10 s" };
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
const network = (before: string[], after: string[]): Partial<TrialFacts> => ({ network: { value: { before, after } } });

const test = suite("judgeTrial");

test("a good one is all right.", () => {
  assert.equal(checkTrial(GOOD).map(({ level, message: told }) => `${level}: ${told}`), [
    "ok: a pod that violates the restricted standard is rejected",
    "ok: objects that exceed a ResourceQuota or LimitRange are rejected",
    "ok: postgres:17 and moodle:4.5 were pulled and started",
    "ok: NetworkPolicies are enforced",
    "ok: namespace wheelwright-doctor-1 was removed",
  ]);
});

const TABLE: [what: string, changes: Partial<TrialFacts>, findings: RegExp[]][] = [
  ["an unsafe pod that is let in fails", { podSecurity: { value: { accepted: true } } }, [
    /^pod security failing: a pod that violates the restricted standard is accepted/,
  ]],
  ["an unsafe pod that is refused for another reason proves nothing", {
    podSecurity: { value: { refused: "admission webhook says no", code: "WebhookDenied" } },
  }, [/^pod security warning: could not be checked: the pod was rejected for another reason: admission webhook/]],
  ["that nobody could try it proves nothing", { podSecurity: UNSEEN }, [/^pod security warning: could not be checked/]],
  ["a blueprint without the standard is told", { podSecurity: null }, [/^pod security warning: the blueprint's/]],
  ["a quota without effect fails", { quota: { value: { accepted: true } } }, [
    /^quotas failing: objects that exceed a ResourceQuota are accepted/,
  ]],
  ["a LimitRange without effect fails, even where the quota refused later", {
    limitRange: { value: { refused: "exceeded quota: doctor", code: "ExceededQuota" } },
  }, [/^quotas failing: objects that exceed a LimitRange are accepted/]],
  ["both without effect are one failure", {
    quota: { value: { accepted: true } },
    limitRange: { value: { accepted: true } },
  }, [/^quotas failing: objects that exceed a ResourceQuota and a LimitRange are accepted/]],
  ["a quota that was not counted yet proves nothing", {
    quota: { value: { refused: "status unknown for quota: doctor", code: "Forbidden" } },
  }, [/^quotas warning: could not be checked/]],
  ["an image that does not run fails, the other is still told", {
    podStarts: [{ value: { image: "postgres:17", problem: null } }, {
      value: { image: "moodle:9", problem: "not found" },
    }],
  }, [/^images failing: moodle:9 does not start: not found/]],
  ["an image that did not come in time proves nothing", {
    podStarts: [UNSEEN, { value: { image: "moodle:4.5", problem: null } }],
  }, [/^images warning: could not be checked/]],
  ["policies without effect fail", network(three(OPEN), three(OPEN)), [
    /^network failing: NetworkPolicies are not enforced/,
  ]],
  ["what got through in one of the last rounds got through", network(three(OPEN), [CLOSED, CLOSED, OPEN, CLOSED]), [
    /^network failing/,
  ]],
  ["a server that only refuses the login has been reached", network(three(OPEN), three("open=1 closed=1")), [
    /^network failing/,
  ]],
  ["pods that never reached one another prove nothing", network(three(NONE), three(CLOSED)), [
    /^network warning: could not be checked: pods cannot reach each other/,
  ]],
  ["a server that was closed from the beginning proves nothing", network(three(CLOSED), three(CLOSED)), [
    /^network warning: could not be checked: pods cannot reach each other/,
  ]],
  ["pods that lost one another altogether prove nothing", network(three(OPEN), three(NONE)), [
    /^network warning: could not be checked: the pods can no longer reach each other/,
  ]],
  ["two rounds are not enough", network(three(OPEN), [CLOSED, CLOSED]), [
    /^network warning: could not be checked: the test pod logged no result/,
  ]],
  ["no log proves nothing", network([], []), [/^network warning: could not be checked/]],
  ["a network that could not be tried proves nothing", { network: UNSEEN }, [/^network warning: could not be checked/]],
  ["a namespace that stays fails, and how to remove it is told", { namespaceDeleted: UNSEEN }, [
    /^trial failing: namespace wheelwright-doctor-1 still exists: no answer within 10 s/,
  ]],
  ["a namespace that could not be made is one warning", { namespaceCreated: { error: "forbidden" } }, [
    /^trial warning: could not be checked: forbidden/,
  ]],
];
for (const [what, changes, findings] of TABLE) {
  test(`${what}.`, () => {
    const bad = checkTrial({ ...GOOD, ...changes }).filter(({ level }) => level !== "ok");
    assert.is(bad.length, findings.length, JSON.stringify(bad));
    bad.forEach(({ check, level, message: told }, index) =>
      assert.match(`${check} ${level}: ${told}`, findings[index]!)
    );
  });
}

test.run();
