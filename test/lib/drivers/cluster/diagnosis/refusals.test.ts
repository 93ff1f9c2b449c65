import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { parseAdmissionRefusal } from "#lib/drivers/cluster/diagnosis/refusals.ts";

const test = suite("parseAdmissionRefusal");

const quota = (requested: string, used: string, limited: string) =>
  `pods "x" is forbidden: exceeded quota: spoke, requested: ${requested}, used: ${used}, limited: ${limited}`;

test("a quota that other objects use up may have capacity later", () => {
  assert.is(
    parseAdmissionRefusal(quota("limits.memory=1Gi", "limits.memory=512Mi", "limits.memory=1Gi")).heals,
    "capacity",
  );
});

test("a request that exceeds the whole quota never succeeds, whatever the units", () => {
  assert.is(
    parseAdmissionRefusal(quota("limits.memory=1Gi", "limits.memory=0", "limits.memory=1000Mi")).heals,
    "never",
  );
  assert.is(parseAdmissionRefusal(quota("limits.cpu=1500m", "limits.cpu=0", "limits.cpu=1")).heals, "never");
});

test("one resource that exceeds the quota decides", () => {
  const message = quota(
    "limits.cpu=1,limits.memory=2Gi",
    "limits.cpu=1,limits.memory=0",
    "limits.cpu=1,limits.memory=1Gi",
  );
  assert.is(parseAdmissionRefusal(message).heals, "never");
});

test("a quota without usage status can be retried soon", () => {
  const message = 'pods "x" is forbidden: status unknown for quota: spoke, resources: limits.cpu,limits.memory';
  assert.is(parseAdmissionRefusal(message).heals, "soon");
});

test("names sizes.yaml or limits.yaml only for the blueprint's quota", () => {
  const ours = quota("pods=1", "pods=1", "pods=1"), memory = "limits.memory=1Gi";
  assert.match(parseAdmissionRefusal(ours).hint, /quota spoke \(limits\.yaml\)/);
  assert.match(parseAdmissionRefusal(quota(memory, memory, memory)).hint, /quota spoke \(sizes\.yaml\)/);
  assert.match(parseAdmissionRefusal(ours.replace("quota: spoke", "quota: team")).hint, /quota team, or/);
});

test("returns a separate code for each kind of refusal", () => {
  const code = (rest: string) => parseAdmissionRefusal(`pods "x" is forbidden: ${rest}`).code;
  assert.is(code("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"), "ExceededQuota");
  assert.is(code("failed quota: q: must specify limits.cpu for: moodle"), "FailedQuota");
  assert.is(code("maximum storage usage per PersistentVolumeClaim is 20Gi, but request is 30Gi"), "LimitRange");
  assert.is(code('violates PodSecurity "restricted:latest": privileged'), "PodSecurity");
  assert.is(code('User "system:serviceaccount:a:b" cannot create resource "pods" in API group ""'), "Forbidden");
});

/** Messages of admission control in several versions of Kubernetes and of related projects. */
const WORDS: readonly (readonly [says: string, code: string, heals: string, why: RegExp])[] = [
  [
    'pods "x" is forbidden: exceeded quota: compute-resources, requested: limits.cpu=1,limits.memory=2Gi, used: ' +
    "limits.cpu=3,limits.memory=1Gi, limited: limits.cpu=4,limits.memory=2Gi",
    "ExceededQuota",
    "capacity",
    /^the quota compute-resources has too little limits\.memory left$/,
  ],
  [
    'pods "x" is forbidden: exceeded quota: q, requested: cpu=2,pods=1, used: cpu=1,pods=9, limited: cpu=1,pods=9',
    "ExceededQuota",
    "never",
    /^the request for cpu and pods is higher than the quota q allows$/,
  ],
  [
    'pods "x" is forbidden: failed quota: q: must specify limits.cpu for: a; limits.memory for: a,b',
    "FailedQuota",
    "never",
    /quota q requires/,
  ],
  [
    'pods "x" is forbidden: [maximum cpu usage per Container is 2, but limit is 4, maximum memory usage per Pod is 2Gi, ' +
    "but limit is 4Gi]",
    "LimitRange",
    "never",
    /a maximum of cpu per Container/,
  ],
  [
    'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4',
    "LimitRange",
    "never",
    /ratio|requests/,
  ],
  [
    'pods "x" is forbidden: violates PodSecurity "baseline:v1.24": host namespaces',
    "PodSecurity",
    "never",
    /level baseline:v1\.24/,
  ],
  [
    'pods "x" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden]',
    "PodSecurity",
    "never",
    /security context constraint/,
  ],
  [
    'pods "x" is forbidden: unable to validate against any pod security policy: []',
    "PodSecurity",
    "never",
    /pod security policy/,
  ],
  [
    'namespaces is forbidden: User "kim" cannot create resource "namespaces" in API group "" at the cluster scope',
    "Forbidden",
    "never",
    /^the account kim may not create namespaces$/,
  ],
  [
    'namespaces is forbidden: User "kim" cannot create namespaces at the cluster scope',
    "Forbidden",
    "never",
    /kim may not create namespaces/,
  ],
  [
    'admission webhook "validation.gatekeeper.sh" denied the request: [require-owner] you must provide labels: {"owner"}',
    "WebhookDenied",
    "never",
    /webhook validation\.gatekeeper\.sh denies/,
  ],
  [
    'Internal error occurred: failed calling webhook "x.example.org": Post https://x.default.svc:443/v?timeout=30s: EOF',
    "WebhookUnreachable",
    "later",
    /webhook x\.example\.org does not respond/,
  ],
  ["Internal error occurred: the sun has set", "Forbidden", "never", /admission/],
  ['pods "x" is forbidden: something that nobody has said before', "Forbidden", "never", /admission/],
];
for (const [says, code, heals, why] of WORDS) {
  test(`understands "${says.slice(0, 90)}"`, () => {
    const refusal = parseAdmissionRefusal(says);
    assert.equal([refusal.code, refusal.heals], [code, heals]);
    assert.match(refusal.why, why);
    assert.match(refusal.hint, /^[A-Z].*\.$/);
  });
}

test("parses amounts in every notation", () => {
  const amounts = ["500m", "1Gi", "2", "1k", "1.5", "1e3", "nonsense"].map(parseQuantity);
  assert.equal(amounts, [0.5, 2 ** 30, 2, 1000, 1.5, 1000, NaN]);
});

test.run();
