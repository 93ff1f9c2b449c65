/**
 * Tests that the simulated cluster rejects the same objects as a real API server, with the same status, reason, causes
 * and message.
 */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, type Json, type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

interface Exchange {
  readonly name: string;
  /** The existing object to which `sent` is applied. If undefined, `sent` is created. */
  readonly standing?: Json;
  readonly sent: Json;
  /** The answer of a real API server. */
  readonly answer: { readonly status: number; readonly reason: string; readonly causes: readonly Json[] };
}

const recorded = new URL("../../../data/kube/refused-objects.json", import.meta.url);
const { exchanges }: { exchanges: Exchange[] } = JSON.parse(readFileSync(recorded, "utf8"));

const refusals = suite<{ kube: Kube }>("objects that a real API server rejects");

refusals.before(async (context) => {
  context.kube = await openKube();
  const metadata = { name: exchanges.find(({ sent }) => sent.metadata.namespace)!.sent.metadata.namespace };
  await context.kube.create({ apiVersion: "v1", kind: "Namespace", metadata });
});
refusals.after(({ kube }) => kube.close());

for (const { name, standing, sent, answer } of exchanges) {
  refusals(`${name}: is rejected as recorded`, async ({ kube }) => {
    if (standing) assert.equal((await kube.apply(standing)).status, 201);
    assert.equal(gist(standing ? await kube.apply(sent) : await kube.create(sent, "?dryRun=All")), answer);
  });
}

refusals("rejects the deletion of a system namespace, also in a dry run", async ({ kube }) => {
  for (const name of ["default", "kube-system"]) {
    const { status, body } = await kube.send("DELETE", `/api/v1/namespaces/${name}?dryRun=All`);
    assert.equal([status, body.message], [403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
  }
});

refusals("rejects the deletion of a collection in all namespaces", async ({ kube }) => {
  const { status, body } = await kube.send("DELETE", "/api/v1/configmaps");
  assert.equal([status, body.reason], [405, "MethodNotAllowed"]);
});

function gist({ status, body }: Answer): Json {
  return { status, reason: body.reason, causes: body.details?.causes ?? [] };
}

refusals.run();
