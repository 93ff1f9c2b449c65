/**
 * Objects that a real API server refuses, sent to the simulated cluster: it must refuse them too, with the same status,
 * reason and causes, in the same words.
 */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, type Json, type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

interface Exchange {
  readonly name: string;
  /** What is there when `sent` is applied; without it, `sent` is created. */
  readonly standing?: Json;
  readonly sent: Json;
  /** Of a real API server. */
  readonly answer: { readonly status: number; readonly reason: string; readonly causes: readonly Json[] };
}

const recorded = new URL("../../../data/kube/refused-objects.json", import.meta.url);
const { exchanges }: { exchanges: Exchange[] } = JSON.parse(readFileSync(recorded, "utf8"));

const refusals = suite<{ kube: Kube }>("what a real cluster refuses");

refusals.before(async (context) => {
  context.kube = await openKube();
  const metadata = { name: exchanges.find(({ sent }) => sent.metadata.namespace)!.sent.metadata.namespace };
  await context.kube.create({ apiVersion: "v1", kind: "Namespace", metadata });
});
refusals.after(({ kube }) => kube.close());

for (const { name, standing, sent, answer } of exchanges) {
  refusals(`${name}: is refused as recorded.`, async ({ kube }) => {
    if (standing) assert.equal((await kube.apply(standing)).status, 201);
    assert.equal(gist(standing ? await kube.apply(sent) : await kube.create(sent, "?dryRun=All")), answer);
  });
}

refusals("a namespace that a cluster cannot be without is not deleted, even by a dry run.", async ({ kube }) => {
  for (const name of ["default", "kube-system"]) {
    const { status, body } = await kube.send("DELETE", `/api/v1/namespaces/${name}?dryRun=All`);
    assert.equal([status, body.message], [403, `namespaces "${name}" is forbidden: this namespace may not be deleted`]);
  }
});

refusals("objects of all namespaces are not deleted at once.", async ({ kube }) => {
  const { status, body } = await kube.send("DELETE", "/api/v1/configmaps");
  assert.equal([status, body.reason], [405, "MethodNotAllowed"]);
});

function gist({ status, body }: Answer): Json {
  return { status, reason: body.reason, causes: body.details?.causes ?? [] };
}

refusals.run();
