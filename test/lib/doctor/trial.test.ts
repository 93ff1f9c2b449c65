/** Tests the trial, one problem at a time. Its namespace is always removed. */
import { createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR, SECOND } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";
import { about, type Changes, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("tryOut");

test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

/** Not in a hook: uvu would stop and count no test. */
const leavingNothing = (use: (scene: Scene) => Promise<void>) => async ({ scene }: { scene: Scene }) => {
  await use(scene);
  assert.equal(namesOf(scene), [], "the namespace is gone, whatever happened");
};

function namesOf({ simulator }: Scene): string[] {
  return simulator.objects("Namespace").map(({ metadata }) => metadata.name).filter((name) => /doctor/.test(name));
}

const tried = (scene: Scene, changes: Changes = {}) => scene.cluster({ trial: true, ...changes });

test(
  "all that is tried holds in a cluster as it should be, and nothing of it stays.",
  leavingNothing(async (scene) => {
    const before = scene.simulator.objects().filter(({ kind }) => kind !== "Event").length;
    const findings = await tried(scene);
    assert.equal(findings.slice(-5).map(({ check, level }) => `${check} ${level}`), [
      "pod security ok",
      "quotas ok",
      "images ok",
      "network ok",
      "trial ok",
    ]);
    assert.is(scene.simulator.objects().filter(({ kind }) => kind !== "Event").length, before);
    const elsewhere = scene.simulator.writes().filter(({ path }) => !/doctor|selfsubjectaccess/.test(path));
    assert.equal(elsewhere.map(({ method, path }) => `${method} ${path}`), [
      "POST /api/v1/namespaces?fieldManager=wheelwright-create",
    ]);
  }),
);

test(
  "policies that have no effect fail.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.add({ type: "open-network" });
    const findings = await tried(scene);
    assert.match(about(findings, "network")[0]!, /^failing NetworkPolicies are not enforced/);
    assert.match(about(findings, "images")[0]!, /^ok/);
  }),
);

test(
  "an image that cannot be pulled fails; what needs it is not called good.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.missingImage("postgres");
    const findings = await tried(scene);
    const [fine, missing] = about(findings, "images");
    assert.is(fine, "ok erseco/alpine-moodle:v4.5.12 was pulled and started");
    assert.match(missing!, /^failing postgres:17-alpine does not start: .*not found/);
    assert.equal(about(findings, "network"), [
      "warning could not be checked: the test pods did not start",
    ]);
  }),
);

test(
  "pods that do not come up in time prove nothing.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.unready("open-0");
    const findings = await tried(scene, { podTimeout: SECOND });
    assert.match(about(findings, "images").join("\n"), /warning could not be checked: .*StatefulSet open/);
    assert.match(about(findings, "network")[0]!, /^warning could not be checked/);
  }),
);

test(
  "a program that fails is told with its last words.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.failJob("moodle", { log: ["no php here"], exitCode: 127 });
    const failures = about(await tried(scene), "images").filter((text) => text.startsWith("failing"));
    assert.equal(failures, ["failing erseco/alpine-moodle:v4.5.12 does not start: the Job failed: no php here"]);
  }),
);

test(
  "without the permission to make a namespace nothing is tried.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "namespaces" });
    const findings = await tried(scene);
    assert.match(about(findings, "trial")[0]!, /^warning could not be checked: namespaces.* is forbidden/);
    assert.is(about(findings, "network").length, 0);
  }),
);

test(
  "without the permission to try a pod its refusal proves nothing.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "pods" });
    const findings = await tried(scene);
    assert.match(
      about(findings, "pod security")[0]!,
      /^warning could not be checked: pods "unsafe" is forbidden: User/,
    );
    assert.match(about(findings, "network")[0]!, /^ok/);
  }),
);

test(
  "without the permission to run a Job its image is not called bad.",
  leavingNothing(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "jobs.batch" });
    const findings = await tried(scene);
    const [fine, untried] = about(findings, "images");
    assert.is(fine, "ok postgres:17-alpine was pulled and started");
    assert.match(untried!, /^warning could not be checked: .*cannot create resource "jobs"/);
    assert.match(about(findings, "network")[0]!, /^warning could not be checked: .*cannot create resource "jobs"/);
  }),
);

test(
  "an admission that lets everything in fails.",
  leavingNothing(async (scene) => {
    const { KUBECONFIG } = await scene.between(({ query, method }, response) => {
      const dry = query.has("dryRun") && method === "PATCH";
      if (dry) {
        response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(doctorNamespace("any")));
      }
      return dry;
    });
    const findings = await tried(scene, { env: { KUBECONFIG } });
    assert.match(about(findings, "pod security")[0]!, /^failing/);
    assert.match(
      about(findings, "quotas")[0]!,
      /^failing objects that exceed a ResourceQuota and a LimitRange are accepted/,
    );
  }),
);

test(
  "a namespace that does not go fails, and how to remove it is told.",
  leavingNothing(async (scene) => {
    const fault = scene.simulator.faults.stuckNamespace("wheelwright-doctor-");
    const findings = await tried(scene, { podTimeout: 3 * SECOND });
    const [stuck] = findings.filter(({ check }) => check === "trial");
    assert.is(stuck!.level, "failing");
    assert.match(stuck!.hint!, /kubectl delete namespace wheelwright-doctor-main-[0-9a-f]{10}$/);
    scene.simulator.faults.remove(fault);
    await until(() => namesOf(scene).length === 0);
  }),
);

test(
  "being called off removes the namespace first, and says so.",
  leavingNothing(async (scene) => {
    const sockets: Socket[] = [];
    // A hanging database is cancelled immediately and does not end the trial.
    const server = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const env = { DATABASE_URL: `postgres://a@127.0.0.1:${port}/b` };
    scene.simulator.faults.unready("open-0"); // so that it waits
    const stop = new AbortController(), said: string[] = [];
    const tell = (sentence: string) => void said.push(sentence);
    const ended = tried(scene, { env, signal: stop.signal, report: tell }).catch((error) => error);
    await until(() => scene.simulator.objects("StatefulSet").length === 2);
    const [name] = namesOf(scene);
    stop.abort(new Error("enough"));
    assert.is((await ended).message, "enough");
    assert.equal(namesOf(scene), []);
    assert.equal(said, [
      `Testing cluster default in namespace ${name}`,
      `Removing namespace ${name}; this may take a moment`,
      `Removed namespace ${name}`,
    ]);
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  }),
);

test(
  "being called off while the namespace is made removes it as well.",
  leavingNothing(async (scene) => {
    const stop = new AbortController();
    let made: Promise<void> | undefined;
    const { KUBECONFIG } = await scene.between(({ method, path }) => {
      const making = method === "POST" && path === "/api/v1/namespaces";
      if (!making) return false;
      made ??= scene.make(path, doctorNamespace(name())).then(() => stop.abort(new Error("enough")));
      return true; // made, and the answer never comes, however often it is asked for
    });
    const said: string[] = [];
    const name = () => /wheelwright-doctor-\S+/.exec(said[0]!)![0];
    const tell = (sentence: string) => void said.push(sentence);
    const ended = await tried(scene, { env: { KUBECONFIG }, signal: stop.signal, report: tell }).catch((error) =>
      error
    );
    assert.is(ended.message, "enough");
    assert.is(said.at(-1), `Removed namespace ${name()}`);
  }),
);

function doctorNamespace(name: string) {
  const labels = { "app.kubernetes.io/managed-by": "wheelwright", "wheelwright.dev/doctor": "true" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

test(
  "what a killed doctor left is removed once it is old by the cluster's clock, and not before.",
  leavingNothing(async (scene) => {
    await scene.make("/api/v1/namespaces", doctorNamespace("wheelwright-doctor-main-old"));
    assert.is(about(await tried(scene), "trial").length, 1);
    assert.equal(namesOf(scene), ["wheelwright-doctor-main-old"], "another doctor may be at work in it");
    await scene.make("/api/v1/namespaces", doctorNamespace("wheelwright-doctor-other-old"));
    await scene.make("/api/v1/namespaces", doctorNamespace("school")); // somebody's, whatever its labels say
    const { KUBECONFIG } = await scene.between((_, response) => {
      response.setHeader("date", new Date(Date.now() + HOUR).toUTCString());
      return false;
    });
    const findings = await tried(scene, { env: { KUBECONFIG } });
    assert.equal(
      about(findings, "trial")[1],
      "ok removed namespace wheelwright-doctor-main-old, which an earlier run left behind",
    );
    const left = scene.simulator.objects("Namespace").map(({ metadata }) => metadata.name);
    assert.ok(left.includes("school") && left.includes("wheelwright-doctor-other-old"), "another release's is its own");
    await scene.change("/api/v1/namespaces/wheelwright-doctor-other-old", null);
    await until(() => namesOf(scene).length === 0);
    assert.match(about(findings, "clock")[0]!, /^warning the cluster's clock is (3599|3600) s ahead of this machine/);
  }),
);

test.run();
