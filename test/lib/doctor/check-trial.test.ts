/** Tests the checks of a trial: what was not determined is never called good. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkTrial } from "#lib/doctor/check-trial.ts";
import type { TrialFacts } from "#lib/doctor/trial.ts";

const OPEN = "open=0 closed=0", CLOSED = "open=0 closed=2", NONE = "open=2 closed=2";
const three = (line: string) => [line, line, line];
const UNSEEN = { unseen: "there was no answer within 10 s" };
const GOOD: TrialFacts = {
  namespace: "wheelwright-doctor-1",
  made: { seen: true },
  security: { seen: { refused: 'violates PodSecurity "restricted:latest"', code: "PodSecurity" } },
  quota: { seen: { refused: "exceeded quota: doctor", code: "ExceededQuota" } },
  limits: { seen: { refused: "maximum storage usage", code: "LimitRange" } },
  starts: [{ seen: { image: "postgres:17", wrong: null } }, { seen: { image: "moodle:4.5", wrong: null } }],
  network: { seen: { before: three(OPEN), after: [OPEN, ...three(CLOSED)] } },
  gone: { seen: true },
};
const network = (before: string[], after: string[]): Partial<TrialFacts> => ({ network: { seen: { before, after } } });

const test = suite("judgeTrial");

test("a good one is all right.", () => {
  assert.equal(checkTrial(GOOD).map(({ level, message: told }) => `${level}: ${told}`), [
    "ok: a pod that breaks the restricted standard is refused",
    "ok: what is over a ResourceQuota or LimitRange is refused",
    "ok: postgres:17 and moodle:4.5 were pulled and run",
    "ok: what a NetworkPolicy forbids does not get through",
    "ok: the namespace wheelwright-doctor-1 is removed again",
  ]);
});

const TABLE: [what: string, changes: Partial<TrialFacts>, findings: RegExp[]][] = [
  ["an unsafe pod that is let in fails", { security: { seen: { accepted: true } } }, [
    /^pod security failing: a pod that breaks the restricted standard is let in/,
  ]],
  ["an unsafe pod that is refused for another reason proves nothing", {
    security: { seen: { refused: "admission webhook says no", code: "WebhookDenied" } },
  }, [/^pod security warning: could not be checked: the pod was refused, but for another reason: admission webhook/]],
  ["that nobody could try it proves nothing", { security: UNSEEN }, [/^pod security warning: could not be checked/]],
  ["a blueprint without the standard is told", { security: null }, [/^pod security warning: the blueprint's/]],
  ["a quota without effect fails", { quota: { seen: { accepted: true } } }, [
    /^quotas failing: what is over a ResourceQuota is let in/,
  ]],
  ["a LimitRange without effect fails, even where the quota refused later", {
    limits: { seen: { refused: "exceeded quota: doctor", code: "ExceededQuota" } },
  }, [/^quotas failing: what is over a LimitRange is let in/]],
  ["both without effect are one failure", {
    quota: { seen: { accepted: true } },
    limits: { seen: { accepted: true } },
  }, [/^quotas failing: what is over a ResourceQuota and a LimitRange is let in/]],
  ["a quota that was not counted yet proves nothing", {
    quota: { seen: { refused: "status unknown for quota: doctor", code: "Forbidden" } },
  }, [/^quotas warning: could not be checked/]],
  ["an image that does not run fails, the other is still told", {
    starts: [{ seen: { image: "postgres:17", wrong: null } }, { seen: { image: "moodle:9", wrong: "not found" } }],
  }, [/^images failing: moodle:9 does not run: not found/]],
  ["an image that did not come in time proves nothing", {
    starts: [UNSEEN, { seen: { image: "moodle:4.5", wrong: null } }],
  }, [/^images warning: could not be checked/]],
  ["policies without effect fail", network(three(OPEN), three(OPEN)), [
    /^network failing: NetworkPolicies have no effect/,
  ]],
  ["what got through in one of the last rounds got through", network(three(OPEN), [CLOSED, CLOSED, OPEN, CLOSED]), [
    /^network failing/,
  ]],
  ["a server that only refuses the login has been reached", network(three(OPEN), three("open=1 closed=1")), [
    /^network failing/,
  ]],
  ["pods that never reached one another prove nothing", network(three(NONE), three(CLOSED)), [
    /^network warning: could not be checked: pods do not reach one another/,
  ]],
  ["a server that was closed from the beginning proves nothing", network(three(CLOSED), three(CLOSED)), [
    /^network warning: could not be checked: pods do not reach one another/,
  ]],
  ["pods that lost one another altogether prove nothing", network(three(OPEN), three(NONE)), [
    /^network warning: could not be checked: the pods no longer reached one another/,
  ]],
  ["two rounds are not enough", network(three(OPEN), [CLOSED, CLOSED]), [
    /^network warning: could not be checked: the pod that tried it left no word/,
  ]],
  ["no log proves nothing", network([], []), [/^network warning: could not be checked/]],
  ["a network that could not be tried proves nothing", { network: UNSEEN }, [/^network warning: could not be checked/]],
  ["a namespace that stays fails, and how to remove it is told", { gone: UNSEEN }, [
    /^trial failing: the namespace wheelwright-doctor-1 is not gone yet: there was no answer within 10 s/,
  ]],
  ["a namespace that could not be made is one warning", { made: { unseen: "forbidden" } }, [
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
