import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hideOperatorDetails, removeOperatorDetails, removeOperatorDetailsDeep } from "#lib/base/operator-details.ts";

const test = suite("removeOperatorDetails");

test("removes commands from a sentence", () => {
  const cases = [
    [
      "The password stands in the Secret admin: kubectl get secret admin -n w-oak -o yaml",
      "The password stands in the Secret admin",
    ],
    [
      "Uncordon a node (kubectl uncordon), or add nodes: some nodes are cordoned.",
      "Uncordon a node, or add nodes: some nodes are cordoned.",
    ],
    ["Delete it: kubectl delete pvc data-db-0. Then retry.", "Delete it. Then retry."],
    [
      "Retry. Or ask an operator to roll back: wheelwright restore spk_1 --back",
      "Retry. Or ask an operator to roll back",
    ],
    ["Restore one (wheelwright restore spk_1 --list); or wait.", "Restore one; or wait."],
    ["An unrelated sentence: wait.", "An unrelated sentence: wait."],
  ];
  for (const [whole, plain] of cases) assert.is(removeOperatorDetails(whole!), plain);
});

test("replaces the names of stored snapshots", () => {
  const cases = [
    [
      "VolumeSnapshotContent snapcontent-0b1e is retained: its snapshot is gone",
      "The stored snapshot is retained: its snapshot is gone",
    ],
    [
      "Cannot keep the backup: VolumeSnapshotContent x-1 would be deleted",
      "Cannot keep the backup: the stored snapshot would be deleted",
    ],
    ['Failed: snapshot content "snapcontent-2" has an error', "Failed: the stored snapshot has an error"],
    ["No room for snapcontent-7.", "No room for the stored snapshot."],
    ["snapcontent-7", "The stored snapshot"],
    ["spk_01m8dpb7y7bne4rn2ds17s1qbv", "spk_01m8dpb7y7bne4rn2ds17s1qbv"],
  ];
  for (const [whole, plain] of cases) assert.is(removeOperatorDetails(whole!), plain);
});

test("removes internal addresses of the cluster", () => {
  const cases = [
    [
      "GET kube.example.org:6443/api/v1/pods: connect ECONNREFUSED 203.0.113.7:6443",
      "GET …/api/v1/pods: connect ECONNREFUSED …",
    ],
    ["PATCH [fd00::1]:6443/apis did not answer within 30 s", "PATCH …/apis did not answer within 30 s"],
    ["GET kube/api: getaddrinfo ENOTFOUND kube", "GET …/api: getaddrinfo ENOTFOUND …"],
    ["connect ECONNREFUSED ::1:6443", "connect ECONNREFUSED …"],
    ["connect EHOSTUNREACH fd12:3456:789a::1:6443", "connect EHOSTUNREACH …"],
    [
      'Get "https://kube.example.org:6443/api/v1/nodes": dial tcp: lookup kube.example.org on 10.96.0.10:53: no such host',
      'Get "…/api/v1/nodes": dial tcp: lookup … on …: no such host',
    ],
    [
      'failed calling webhook "deny": Post "https://deny.policies.svc:443/x": dial tcp 10.1.2.3:443: i/o timeout',
      'failed calling webhook "deny": Post "…/x": dial tcp …: i/o timeout',
    ],
    ['Liveness probe failed: Get "http://10.244.1.7:8080/login": EOF', 'Liveness probe failed: Get "…/login": EOF'],
    ["Assigned to ip-10-0-3-4.eu-west-1.compute.internal", "Assigned to …"],
    [
      "Hostname/IP does not match certificate's altnames: Host: kube. is not in the cert's altnames: DNS:a, IP Address:10.0.0.1",
      "Hostname/IP does not match certificate's altnames: Host: … is not in the cert's altnames: …",
    ],
    [
      "x509: certificate is valid for 10.96.0.1, kubernetes, not kube.example",
      "x509: certificate is valid for …, not …",
    ],
  ];
  for (const [whole, plain] of cases) assert.is(removeOperatorDetails(whole!), plain);
});

test("keeps site addresses, versions, times and code", () => {
  for (
    const text of [
      "The login page at https://oak.school.example/login/index.php answers 503",
      "http://ash.spokes.localhost:8080/ answers",
      "Moodle 4.5.12 on PHP 8.3.1 at 2026-11-21T12:34:56.000Z",
      "core\\task\\manager::adhoc of mod_quiz",
      "Put backup/restore pages away",
      "An unrelated sentence",
    ]
  ) assert.is(removeOperatorDetails(text), text);
});

test("cleans nested values and keeps values that are not text", () => {
  const at = new Date(0), hint = "Do it (kubectl apply)";
  const value = { at, count: 3, none: null, notes: [hint], error: { hint, log: [hint] } };
  const plain = { at, count: 3, none: null, notes: ["Do it"], error: { hint: "Do it", log: ["Do it"] } };
  assert.equal(removeOperatorDetailsDeep(value), plain);
  assert.is(hideOperatorDetails({ role: "operator" }, value), value);
  for (const role of ["hub_admin", "spoke_admin"]) assert.equal(hideOperatorDetails({ role }, value), plain);
});

test.run();
