/** Kills the run of a move after each of its writes, and continues it each time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import { ClusterError, type ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { patchSpoke } from "#lib/domains/spokes/patch.ts";
import type { SpokePatch } from "#lib/domains/spokes/views.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { openWorkScene, startReplica } from "#test/lib/workers/scene.ts";

const test = suite("a move that is cut off again and again");

/** Loses the first answer of each write, which shows operations that are not idempotent. */
function forgetful(clusters: ClusterProvider, lost: Set<string>): ClusterProvider {
  const losing = async <T>(key: string, write: Promise<T>): Promise<T> => {
    const written = await write;
    if (lost.has(key)) return written;
    lost.add(key);
    throw new ClusterError("unreachable", `the answer about ${key} was lost`, { transient: true });
  };
  const forgetting = (space: ClusterNamespace): ClusterNamespace => ({
    ...space,
    patch: (ref, operations, at) => losing(`patch ${ref.kind}/${ref.name}`, space.patch(ref, operations, at)),
    apply: (objects, at) => losing(`apply ${objects[0]!.kind}/${objects[0]!.metadata.name}`, space.apply(objects, at)),
    delete: (ref, uid, at) => losing(`delete ${ref.kind}/${ref.name.replace(/\d+$/, "")}`, space.delete(ref, uid, at)),
  });
  return {
    ...clusters,
    open: async (name) => {
      const cluster = await clusters.open(name);
      return { ...cluster, space: (namespace, uid) => forgetting(cluster.space(namespace, uid)) };
    },
  };
}

test("has the same result after a takeover in each step, with one restart and no drift", async () => {
  const scene = await openWorkScene(5, { ACME_EMAIL: "ops@example.org" });
  try {
    const id = await scene.spoke(await scene.hub("math"), "algebra");
    const installer = await scene.replica();
    const { namespace, domain: first } = await scene.becomes(id, "active");
    await installer.close();
    const lost = new Set<string>();
    const replica = await startReplica({ ...scene.app, clusters: forgetful(scene.app.clusters, lost) });
    const of = (kind: string) =>
      scene.simulator.objects(kind).filter(({ metadata }) => metadata.namespace === namespace);
    const rollouts = () => of("Deployment")[0]!.metadata["generation"];
    for (const domain of ["algebra.school.example", first]) {
      const before = rollouts(), left = (await scene.row(id)).domain, patch = { domain, displayName: domain };
      lost.clear();
      await patchSpoke(scene.app, scene.actor, await scene.row(id), patch as SpokePatch);
      const job = await scene.ended(id, "configure");
      assert.is(job.state, "succeeded", job.failure?.message);
      assert.ok(job.attempt > 5, `${job.attempt}: ${[...lost]}`);
      const row = await scene.row(id);
      assert.equal([row.domain, row.requestedDomain, row.blueprintInputs.host], [domain, null, domain]);
      const hosts = of("Ingress").map(({ spec }) => spec.rules.map(({ host }: { host: string }) => host).join(" "));
      assert.equal(hosts.sort(), [domain, left].sort());
      assert.equal([scene.simulator.site(namespace).files.wwwroot, Number(rollouts()) - Number(before)], [domain, 1]);
      await lookOnce(scene.app);
      assert.is((await scene.row(id)).drift, null);
    }
    assert.ok([...lost].some((key) => key.startsWith("delete Ingress/")), [...lost].join(", "));
    await replica.close();
  } finally {
    await scene.close();
  }
});

test.run();
