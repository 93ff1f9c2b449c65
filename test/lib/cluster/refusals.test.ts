import { suite } from "uvu";
import * as assert from "uvu/assert";
import { amountOf } from "#lib/cluster/quantity.ts";
import { readRefusal } from "#lib/cluster/refusals.ts";

const test = suite("readRefusal");

const quota = (requested: string, used: string, limited: string) =>
  `pods "x" is forbidden: exceeded quota: spoke, requested: ${requested}, used: ${used}, limited: ${limited}`;

test("a quota that is used up by others leaves room later", () => {
  assert.is(readRefusal(quota("limits.memory=1Gi", "limits.memory=512Mi", "limits.memory=1Gi")).heals, "room");
});

test("a quota that is too small by itself never heals, whatever the units", () => {
  assert.is(readRefusal(quota("limits.memory=1Gi", "limits.memory=0", "limits.memory=1000Mi")).heals, "never");
  assert.is(readRefusal(quota("limits.cpu=1500m", "limits.cpu=0", "limits.cpu=1")).heals, "never");
});

test("of several resources one that is too small decides", () => {
  const message = quota(
    "limits.cpu=1,limits.memory=2Gi",
    "limits.cpu=1,limits.memory=0",
    "limits.cpu=1,limits.memory=1Gi",
  );
  assert.is(readRefusal(message).heals, "never");
});

test("a quota that has not been counted yet heals soon", () => {
  const message = 'pods "x" is forbidden: status unknown for quota: spoke, resources: limits.cpu,limits.memory';
  assert.is(readRefusal(message).heals, "soon");
});

test("each kind of refusal has its own code", () => {
  const code = (rest: string) => readRefusal(`pods "x" is forbidden: ${rest}`).code;
  assert.is(code("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"), "ExceededQuota");
  assert.is(code("failed quota: q: must specify limits.cpu for: moodle"), "FailedQuota");
  assert.is(code("maximum storage usage per PersistentVolumeClaim is 20Gi, but request is 30Gi"), "LimitRange");
  assert.is(code('violates PodSecurity "restricted:latest": privileged'), "PodSecurity");
  assert.is(code('User "system:serviceaccount:a:b" cannot create resource "pods" in API group ""'), "Forbidden");
});

test("amounts are read in every notation", () => {
  const amounts = ["500m", "1Gi", "2", "1k", "1.5", "1e3", "nonsense"].map(amountOf);
  assert.equal(amounts, [0.5, 2 ** 30, 2, 1000, 1.5, 1000, NaN]);
});

test.run();
