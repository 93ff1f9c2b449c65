/** Tests the trial with one problem at a time. Each test checks that the namespace is deleted. */
import { createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR, SECOND } from "#lib/base/time.ts";
import { until } from "#test/support/until.ts";
import { type Changes, findingsOf, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("runTrial");

test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

/** Wraps a test, and checks that no trial namespace remains. A failing hook would stop the suite. */
const withoutRemains = (use: (scene: Scene) => Promise<void>) => async ({ scene }: { scene: Scene }) => {
  await use(scene);
  assert.equal(namesOf(scene), [], "the trial namespace is deleted");
};

function namesOf({ simulator }: Scene): string[] {
  return simulator.objects("Namespace").map(({ metadata }) => metadata.name).filter((name) => /doctor/.test(name));
}

const runTrialIn = (scene: Scene, changes: Changes = {}) => scene.cluster({ trial: true, ...changes });

test(
  "passes in a suitable cluster and leaves no objects",
  withoutRemains(async (scene) => {
    const before = scene.simulator.objects().filter(({ kind }) => kind !== "Event").length;
    const findings = await runTrialIn(scene);
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
  "fails if NetworkPolicies have no effect",
  withoutRemains(async (scene) => {
    scene.simulator.faults.add({ type: "open-network" });
    const findings = await runTrialIn(scene);
    assert.match(findingsOf(findings, "network")[0]!, /^failing NetworkPolicies are not enforced/);
    assert.match(findingsOf(findings, "images")[0]!, /^ok/);
  }),
);

test(
  "fails if an image cannot be pulled, and warns about tests that need it",
  withoutRemains(async (scene) => {
    scene.simulator.faults.missingImage("postgres");
    const findings = await runTrialIn(scene);
    const [startedImage, missing] = findingsOf(findings, "images");
    assert.is(startedImage, "ok erseco/alpine-moodle:v4.5.12 was pulled and started");
    assert.match(missing!, /^failing postgres:17-alpine does not start: .*not found/);
    assert.equal(findingsOf(findings, "network"), [
      "warning could not be checked: the test pods did not start",
    ]);
  }),
);

test(
  "warns if pods do not start in time",
  withoutRemains(async (scene) => {
    scene.simulator.faults.unready("open-0");
    const findings = await runTrialIn(scene, { podTimeout: SECOND });
    assert.match(findingsOf(findings, "images").join("\n"), /warning could not be checked: .*StatefulSet open/);
    assert.match(findingsOf(findings, "network")[0]!, /^warning could not be checked/);
  }),
);

test(
  "reports the last log line of a failed Job",
  withoutRemains(async (scene) => {
    scene.simulator.faults.failJob("moodle", { log: ["no php here"], exitCode: 127 });
    const failures = findingsOf(await runTrialIn(scene), "images").filter((text) => text.startsWith("failing"));
    assert.equal(failures, ["failing erseco/alpine-moodle:v4.5.12 does not start: the Job failed: no php here"]);
  }),
);

test(
  "skips the tests without the permission to create a namespace",
  withoutRemains(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "namespaces" });
    const findings = await runTrialIn(scene);
    assert.match(findingsOf(findings, "trial")[0]!, /^warning could not be checked: namespaces.* is forbidden/);
    assert.is(findingsOf(findings, "network").length, 0);
  }),
);

test(
  "warns without the permission to create pods",
  withoutRemains(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "pods" });
    const findings = await runTrialIn(scene);
    assert.match(
      findingsOf(findings, "pod security")[0]!,
      /^warning could not be checked: pods "unsafe" is forbidden: User/,
    );
    assert.match(findingsOf(findings, "network")[0]!, /^ok/);
  }),
);

test(
  "warns without the permission to run a Job",
  withoutRemains(async (scene) => {
    scene.simulator.faults.add({ type: "forbid", verb: "create", resource: "jobs.batch" });
    const findings = await runTrialIn(scene);
    const [startedImage, untried] = findingsOf(findings, "images");
    assert.is(startedImage, "ok postgres:17-alpine was pulled and started");
    assert.match(untried!, /^warning could not be checked: .*cannot create resource "jobs"/);
    assert.match(findingsOf(findings, "network")[0]!, /^warning could not be checked: .*cannot create resource "jobs"/);
  }),
);

test(
  "fails if admission accepts everything",
  withoutRemains(async (scene) => {
    const { KUBECONFIG } = await scene.proxy(({ query, method }, response) => {
      const dry = query.has("dryRun") && method === "PATCH";
      if (dry) {
        response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(doctorNamespace("any")));
      }
      return dry;
    });
    const findings = await runTrialIn(scene, { env: { KUBECONFIG } });
    assert.match(findingsOf(findings, "pod security")[0]!, /^failing/);
    assert.match(
      findingsOf(findings, "quotas")[0]!,
      /^failing objects that exceed a ResourceQuota and a LimitRange are accepted/,
    );
  }),
);

test(
  "fails if the namespace cannot be deleted, with the command to delete it",
  withoutRemains(async (scene) => {
    const fault = scene.simulator.faults.stuckNamespace("wheelwright-doctor-");
    const findings = await runTrialIn(scene, { podTimeout: 3 * SECOND });
    const [stuck] = findings.filter(({ check }) => check === "trial");
    assert.is(stuck!.level, "failing");
    assert.match(stuck!.hint!, /kubectl delete namespace wheelwright-doctor-main-[0-9a-f]{10}$/);
    scene.simulator.faults.remove(fault);
    await until(() => namesOf(scene).length === 0);
  }),
);

test(
  "deletes the namespace when cancelled",
  withoutRemains(async (scene) => {
    const sockets: Socket[] = [];
    // A hanging database is cancelled immediately and does not end the trial.
    const server = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const env = { DATABASE_URL: `postgres://a@127.0.0.1:${port}/b` };
    scene.simulator.faults.unready("open-0"); // keeps the trial waiting
    const stop = new AbortController(), messages: string[] = [];
    const report = (sentence: string) => void messages.push(sentence);
    const ended = runTrialIn(scene, { env, signal: stop.signal, report }).catch((error) => error);
    await until(() => scene.simulator.objects("StatefulSet").length === 2);
    const [name] = namesOf(scene);
    stop.abort(new Error("enough"));
    assert.is((await ended).message, "enough");
    assert.equal(namesOf(scene), []);
    assert.equal(messages, [
      `Testing cluster default in namespace ${name}`,
      `Removing namespace ${name}; this may take a moment`,
      `Removed namespace ${name}`,
    ]);
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  }),
);

test(
  "deletes the namespace when cancelled while it is created",
  withoutRemains(async (scene) => {
    const stop = new AbortController();
    let created: Promise<void> | undefined;
    const { KUBECONFIG } = await scene.proxy(({ method, path }) => {
      const isCreation = method === "POST" && path === "/api/v1/namespaces";
      if (!isCreation) return false;
      created ??= scene.create(path, doctorNamespace(name())).then(() => stop.abort(new Error("enough")));
      return true; // the namespace exists, but the response never arrives
    });
    const messages: string[] = [];
    const name = () => /wheelwright-doctor-\S+/.exec(messages[0]!)![0];
    const report = (sentence: string) => void messages.push(sentence);
    const ended = await runTrialIn(scene, { env: { KUBECONFIG }, signal: stop.signal, report }).catch((error) => error);
    assert.is(ended.message, "enough");
    assert.is(messages.at(-1), `Removed namespace ${name()}`);
  }),
);

function doctorNamespace(name: string) {
  const labels = { "app.kubernetes.io/managed-by": "wheelwright", "wheelwright.dev/doctor": "true" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

test(
  "deletes namespaces of killed runs once they are old by the cluster's clock",
  withoutRemains(async (scene) => {
    await scene.create("/api/v1/namespaces", doctorNamespace("wheelwright-doctor-main-old"));
    assert.is(findingsOf(await runTrialIn(scene), "trial").length, 1);
    assert.equal(namesOf(scene), ["wheelwright-doctor-main-old"], "another run may still use it");
    await scene.create("/api/v1/namespaces", doctorNamespace("wheelwright-doctor-other-old"));
    await scene.create("/api/v1/namespaces", doctorNamespace("school")); // not a trial namespace, despite its labels
    const { KUBECONFIG } = await scene.proxy((_, response) => {
      response.setHeader("date", new Date(Date.now() + HOUR).toUTCString());
      return false;
    });
    const findings = await runTrialIn(scene, { env: { KUBECONFIG } });
    assert.equal(
      findingsOf(findings, "trial")[1],
      "ok removed namespace wheelwright-doctor-main-old, which an earlier run left behind",
    );
    const left = scene.simulator.objects("Namespace").map(({ metadata }) => metadata.name);
    assert.ok(
      left.includes("school") && left.includes("wheelwright-doctor-other-old"),
      "other releases are not touched",
    );
    await scene.change("/api/v1/namespaces/wheelwright-doctor-other-old", null);
    await until(() => namesOf(scene).length === 0);
    assert.match(
      findingsOf(findings, "clock")[0]!,
      /^warning the cluster's clock is (3599|3600) s ahead of this machine/,
    );
  }),
);

test.run();
