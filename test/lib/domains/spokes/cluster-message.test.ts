import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createErrorFromResponse } from "#lib/drivers/cluster/client/status.ts";
import { redactClusterMessage } from "#lib/domains/spokes/cluster-message.ts";

const test = suite("redactClusterMessage");
const AWAY = "the cluster does not respond correctly; try again in a moment";

test("shows operators the full message, and others no address", () => {
  const message = "denied by webhook at https://10.1.2.3:6443/x and 10.1.2.3:443 and [fd00::1]:443";
  const body = JSON.stringify({ kind: "Status", message, reason: "Forbidden", code: 403 });
  const refused = createErrorFromResponse({ status: 403, headers: {}, body }, "PATCH kube.internal:6443/apis");
  assert.is(redactClusterMessage({ role: "operator" }, refused), message);
  assert.is(redactClusterMessage({ role: "hub_admin" }, refused), "denied by webhook at … and … and …");
});

test("hides connection errors", () => {
  const proxied = createErrorFromResponse(
    { status: 403, headers: {}, body: "<h1>No</h1>" },
    "PATCH kube.internal:6443/apis",
  );
  const lost = new ClusterError("unreachable", "GET kube.internal:6443/api: lost", { transient: true });
  for (const error of [proxied, lost]) {
    assert.match(redactClusterMessage({ role: "operator" }, error), "kube.internal");
    assert.is(redactClusterMessage({ role: "spoke_admin" }, error), AWAY);
  }
});

test("reports an overloaded cluster as busy", () => {
  const body = JSON.stringify({ kind: "Status", message: "too many requests", reason: "TooManyRequests", code: 429 });
  const busy = createErrorFromResponse({ status: 429, headers: {}, body }, "GET kube.internal:6443/api");
  assert.is(redactClusterMessage({ role: "hub_admin" }, busy), "the cluster is busy; try again in a moment");
});

test.run();
