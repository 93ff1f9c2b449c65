/** Tests for mistakes of earlier manifests that a real cluster revealed, for every size. */
import { execFileSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FEDERATION_LABEL } from "#lib/drivers/cluster/guard.ts";
import { BLUEPRINT_JOBS } from "#lib/moodle/blueprint-files.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { allObjects, find, inputsOf, openBlueprint, podSpecs } from "#test/lib/moodle/fixtures.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";

const test = suite("the manifests");
const blueprint = openBlueprint();
const SIZES = Object.keys(blueprint.sizes.sizes).map((size) => {
  const inputs = inputsOf(blueprint, {}, size), objects = allObjects(blueprint, inputs);
  return { size, inputs, objects, env: find(objects, "ConfigMap", "moodle-env")["data"] };
});
const LOCAL_PING = ["curl", "-fsS", "http://127.0.0.1:8080/fpm-ping"];

test("contain no placeholder in a key", () => {
  for (const { objects, inputs } of SIZES) {
    assert.is(find(objects, "Namespace", inputs.namespace).metadata.labels?.[FEDERATION_LABEL], inputs.federationId);
  }
});

test("keep a string that looks like a number or boolean", () => {
  for (const slug of ["1", "true", "null", "1e3", "0x10"]) {
    const inputs = inputsOf(blueprint, { slug, displayName: slug, federationId: slug });
    const objects = allObjects(blueprint, inputs);
    assert.is(find(objects, "ConfigMap", "moodle-env")["data"].MOODLE_SITENAME, slug);
    assert.is(find(objects, "ConfigMap", "seed")["data"].SEED_TITLE, slug);
    assert.is(find(objects, "ConfigMap", "seed").metadata.labels?.[FEDERATION_LABEL], slug);
  }
});

test("call PostgreSQL ready when its database answers over TCP", () => {
  for (const { objects } of SIZES) {
    const [container] = find(objects, "StatefulSet", "db")["spec"].template.spec.containers;
    const isRequest = ["psql", "-h", "127.0.0.1", "-U", "moodle", "-d", "moodle", "-tAc", "select 1"];
    for (const probe of ["startupProbe", "readinessProbe"]) assert.equal(container[probe].exec.command, isRequest);
    assert.equal(container.livenessProbe.exec.command, [
      "pg_isready",
      "-h",
      "127.0.0.1",
      "-U",
      "moodle",
      "-d",
      "moodle",
    ]);
  }
});

test("take the PostgreSQL image from images.yaml", () => {
  const images = { ...SIZES[0]!.inputs.images, postgres: "registry.example.org/postgres@sha256:abc" };
  const objects = allObjects(blueprint, { ...SIZES[0]!.inputs, images });
  const all = podSpecs(objects).flatMap(({ spec }) => [...spec.containers, ...spec.initContainers ?? []]);
  assert.equal([...new Set(all.map(({ image }) => image))].sort(), [images.moodle, images.postgres].sort());
});

test("disable the idle cron service, and run cron in no other Job", () => {
  for (const { env } of SIZES) {
    assert.equal([env.RUN_CRON_TASKS, env.PRE_CONFIGURE_COMMANDS], ["false", "touch /etc/service/cron/down"]);
  }
});

test("name Jobs after the fence, without retries, and delete them after a day or immediately", () => {
  for (const { objects } of SIZES) {
    for (const job of BLUEPRINT_JOBS) {
      const { spec } = { spec: find(objects, "Job", `${job}-17`)["spec"] };
      assert.equal([spec.backoffLimit, spec.ttlSecondsAfterFinished, spec.template.spec.restartPolicy], [
        0,
        job === "sign-in-link" || job === "check-sign-in" ? 30 : 86400,
        "Never",
      ], job);
    }
  }
});

test("recreate the pod on a rollout, with a longer deadline than the startup probe", () => {
  for (const { objects } of SIZES) {
    const { strategy, progressDeadlineSeconds, template } = find(objects, "Deployment", "moodle")["spec"];
    const { periodSeconds, failureThreshold } = template.spec.containers[0].startupProbe;
    assert.ok(progressDeadlineSeconds > periodSeconds * failureThreshold);
    assert.is(strategy.type, "Recreate");
    assert.is(find(objects, "CronJob", "moodle-cron")["spec"].concurrencyPolicy, "Forbid");
  }
});

test("take the LimitRange's maximum from the size", () => {
  for (const { objects, inputs: { resources } } of SIZES) {
    const limits: { type: string; max: Record<string, string> }[] = find(objects, "LimitRange", "spoke")["spec"].limits;
    const max = (type: string) => limits.find((limit) => limit.type === type)!.max;
    assert.ok(parseQuantity(max("Container")["cpu"]!) >= parseQuantity(resources.app.limits.cpu));
    assert.ok(parseQuantity(max("Container")["memory"]!) >= parseQuantity(resources.app.limits.memory));
    assert.ok(parseQuantity(max("PersistentVolumeClaim")["storage"]!) >= parseQuantity(resources.disks.files));
  }
});

test("start the site after the verified installation, and cron after the site", () => {
  const names = OPERATIONS.provision.kind.steps.map(({ name }) => name);
  const order = (["install", "app", "setup", "cron"] as const).map((name) => names.indexOf(name));
  assert.equal(order, order.toSorted((a, b) => a - b));
  const objects = allObjects(blueprint, SIZES[0]!.inputs);
  const applied = (["namespace", "policies", "secrets", "volumes", "database", "seed"] as const)
    .flatMap((step) => blueprint.spokeObjects(SIZES[0]!.inputs, step)).map(({ kind }) => kind);
  assert.not.ok(applied.some((kind) => kind === "Deployment" || kind === "CronJob"));
  assert.not.ok("volumeName" in find(objects, "PersistentVolumeClaim", "files")["spec"], "nothing waits for the claim");
});

test("wait for a Job longer than its deadline and the 30 s in which the image ignores signals", () => {
  for (const { objects } of SIZES) {
    for (
      const { name, timeout } of OPERATIONS.provision.kind.steps.filter((step) =>
        BLUEPRINT_JOBS.some((job) => job === step.name)
      )
    ) {
      assert.ok(timeout > (find(objects, "Job", `${name}-17`)["spec"].activeDeadlineSeconds + 30) * 1000, name);
    }
  }
});

test("do not repeat a cron run that fails during maintenance", () => {
  for (const { objects } of SIZES) {
    const { jobTemplate, failedJobsHistoryLimit, successfulJobsHistoryLimit } =
      find(objects, "CronJob", "moodle-cron")["spec"];
    assert.equal([jobTemplate.spec.backoffLimit, jobTemplate.spec.template.spec.restartPolicy], [0, "Never"]);
    assert.ok(failedJobsHistoryLimit <= 3 && successfulJobsHistoryLimit <= 1);
    assert.is(jobTemplate.spec.ttlSecondsAfterFinished, 3600);
  }
});

test("request exactly the ping path, because another path is redirected and would pass", () => {
  for (const { objects } of SIZES) {
    const [container] = find(objects, "Deployment", "moodle")["spec"].template.spec.containers;
    for (const probe of ["startupProbe", "livenessProbe"]) {
      assert.equal(container[probe].exec.command, LOCAL_PING, probe);
    }
  }
});

test("probe the login page under the site's host, and keep an unready pod in the Service", () => {
  for (const { objects, env } of SIZES) {
    const [container] = find(objects, "Deployment", "moodle")["spec"].template.spec.containers;
    const { exec: { command: [shell, option, script] }, timeoutSeconds, periodSeconds } = container.readinessProbe;
    assert.equal([shell, option], ["sh", "-c"]);
    assert.ok(timeoutSeconds > 10 && timeoutSeconds <= periodSeconds, "curl ends before the kubelet ends it");
    const words = execFileSync("sh", ["-c", script.replaceAll("exec curl", "printf '|%s' curl")], {
      encoding: "utf8",
      env: { SITE_URL: env.SITE_URL },
    });
    const { host, protocol } = new URL(env.SITE_URL);
    assert.match(words, `|Host: ${host}|`);
    assert.match(words, `|X-Forwarded-Proto: ${protocol.slice(0, -1)}|`);
    assert.match(words, "|--max-time|10|");
    assert.match(words, "|http://127.0.0.1:8080/login/index.php");
    assert.is(find(objects, "Service", "moodle")["spec"].publishNotReadyAddresses, true);
  }
});

test("time out database connections before the probe does", () => {
  for (const { env } of SIZES) assert.is(env.PGCONNECT_TIMEOUT, "10");
});

test("check the site under its host, from a pod that can reach nothing else", () => {
  for (const { objects, inputs } of SIZES) {
    const { metadata, spec } = find(objects, "Job", "health-17")["spec"].template;
    const { command } = spec.containers[0];
    assert.ok(command.includes(`Host: ${inputs.host}`) && command.at(-1) === "http://moodle/login/index.php");
    assert.is(metadata.labels.role, "probe");
    assert.is(find(objects, "NetworkPolicy", "probe-egress")["spec"].podSelector.matchLabels.role, "probe");
  }
});

test("set the site's short name together with its title", () => {
  const script: string = find(SIZES[0]!.objects, "ConfigMap", "seed-script")["data"]["seed.php"];
  assert.match(script, /'fullname' => \$fullname, 'shortname' => core_text::substr\(\$title, 0, 100\)/);
});

test("set the database port before the first installation", () => {
  for (const { env } of SIZES) assert.equal([env.DB_HOST, env.DB_PORT], ["db", "5432"]);
});

test("deny all traffic that no policy allows, and allow no unspecified source", () => {
  for (const { objects } of SIZES) {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    assert.equal(find(policies, "NetworkPolicy", "default-deny")["spec"], {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    for (
      const { metadata, spec } of policies as unknown as { metadata: { name: string }; spec: Record<string, never[]> }[]
    ) {
      for (const rule of [...spec["ingress"] ?? [], ...spec["egress"] ?? []] as Record<string, unknown[]>[]) {
        const peers = rule["from"] ?? rule["to"] ?? [];
        assert.ok(peers.length > 0 && !peers.some((peer) => JSON.stringify(peer).includes("{}")), metadata.name);
        assert.ok(rule["ports"]!.every((port) => Object.keys(port as object).length === 2), metadata.name);
      }
    }
  }
});

test("set the resources of each container, except the one that only creates directories", () => {
  for (const { objects } of SIZES) {
    for (const { owner, spec } of podSpecs(objects)) {
      for (const container of [...spec.containers, ...spec.initContainers ?? []]) {
        if (container.name === "dirs") continue;
        for (const field of ["requests", "limits"]) {
          assert.equal(Object.keys(container.resources[field]).sort(), ["cpu", "memory"], `${owner} ${field}`);
        }
      }
    }
  }
});

test("set neither replicas nor suspend, because a late apply would revert them", () => {
  for (const { objects } of SIZES) {
    for (const [kind, name] of [["Deployment", "moodle"], ["StatefulSet", "db"], ["CronJob", "moodle-cron"]] as const) {
      const spec = find(objects, kind, name)["spec"];
      assert.not.ok("replicas" in spec || "suspend" in spec, name);
    }
  }
});

test.run();
