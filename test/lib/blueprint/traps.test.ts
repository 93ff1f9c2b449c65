/** The traps of the platform's image that a manifest can walk into: each guard is looked for in every size. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JOBS } from "#lib/blueprint/plan.ts";
import { allObjects, find, inputsOf, openBlueprint, podSpecs } from "#test/lib/blueprint/scene.ts";

const test = suite("every pod of every size");
const blueprint = openBlueprint();
const sizes = Object.keys(blueprint.sizes.sizes);

for (const size of sizes) {
  const inputs = inputsOf(blueprint, {}, size);
  const objects = allObjects(blueprint, inputs);
  const pods = podSpecs(objects);
  const containers = pods.flatMap(({ owner, spec }) =>
    [...spec.containers, ...spec.initContainers ?? []].map((container) => ({ owner, pod: spec, container }))
  );
  const env = find(objects, "ConfigMap", "moodle-env")["data"];

  test(`has no service account's token and no variables made of services (${size})`, () => {
    for (const { owner, spec } of pods) {
      assert.is(spec.automountServiceAccountToken, false, owner);
      assert.is(spec.enableServiceLinks, false, `${owner}: DB_PORT would become tcp://...`);
    }
  });

  test(`meets restricted pod security with numeric users and a writable root (${size})`, () => {
    for (const { owner, pod, container } of containers) {
      assert.is(pod.securityContext.runAsNonRoot, true, owner);
      assert.type(pod.securityContext.runAsUser, "number", owner);
      assert.is(pod.securityContext.seccompProfile.type, "RuntimeDefault", owner);
      assert.is(container.securityContext.allowPrivilegeEscalation, false, owner);
      assert.equal(container.securityContext.capabilities.drop, ["ALL"], owner);
      assert.is(container.securityContext.readOnlyRootFilesystem, undefined, `${owner}: the image writes to its root`);
    }
  });

  test(`says what it needs, but for the one that only makes directories (${size})`, () => {
    for (const { owner, container } of containers.filter(({ container }) => container.name !== "dirs")) {
      for (const field of ["requests", "limits"]) {
        assert.equal(Object.keys(container.resources[field]).sort(), ["cpu", "memory"], `${owner} ${field}`);
      }
    }
  });

  test(`mounts sub-directories that it owns, and shares a node with all that use them (${size})`, () => {
    for (
      const { owner, metadata, spec } of pods.filter(({ spec }) => JSON.stringify(spec).includes('"claimName":"files"'))
    ) {
      assert.is(metadata.labels["files-user"], "true", owner);
      const [term] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
      assert.equal(term.labelSelector.matchLabels, { "files-user": "true" }, owner);
      for (const container of spec.containers.filter((each: { name: string }) => each.name !== "files")) {
        for (const mount of container.volumeMounts.filter((each: { name: string }) => each.name === "files")) {
          assert.is(`/var/www/${mount.subPath}`, mount.mountPath, owner);
        }
      }
    }
    for (const name of ["install-17", "moodle"]) {
      const pod = pods.find(({ owner }) => owner.endsWith(`/${name}`));
      assert.is(pod?.spec.initContainers[0].command.at(-1), "mkdir -p /v/html /v/moodledata", name);
    }
  });

  test(`is tried once by its Job, bounded in time, and cleared away a day later (${size})`, () => {
    for (const job of JOBS) {
      const { spec } = { spec: find(objects, "Job", `${job}-17`)["spec"] };
      assert.is(spec.backoffLimit, 0, job);
      assert.ok(spec.activeDeadlineSeconds > 0 && spec.activeDeadlineSeconds <= 1800, job);
      assert.is(spec.ttlSecondsAfterFinished, 86400, job);
      assert.is(spec.template.spec.restartPolicy, "Never", job);
    }
  });

  test(`has an environment that upgrades nothing, runs no cron, and sends no mail by accident (${size})`, () => {
    assert.is(env.AUTO_UPDATE_MOODLE, "false");
    assert.is(env.RUN_CRON_TASKS, "false");
    assert.is(env.PRE_CONFIGURE_COMMANDS, "touch /etc/service/cron/down");
    assert.is(env.SMTP_HOST, "localhost");
    assert.is(find(objects, "ConfigMap", "seed")["data"].SEED_MAIL, "off");
    assert.equal([env.opcache_enable, env.opcache_validate_timestamps], ["1", "1"]);
    for (const { owner, container } of containers.filter(({ container }) => container.name === "moodle")) {
      const sources = container.envFrom.map((source: Record<string, { name: string }>) =>
        Object.values(source)[0]!.name
      );
      assert.equal(sources, ["moodle-env", "moodle", "mail"], owner);
    }
  });

  test(`has an environment that survives an unquoted shell (${size})`, () => {
    const { PRE_CONFIGURE_COMMANDS: _, ...words } = env;
    for (const [name, value] of Object.entries<string>(words)) assert.match(value, /^[A-Za-z0-9._@+=\/:-]*$/, name);
  });

  test(`limits PHP's workers to what its memory is for (${size})`, () => {
    const { workers } = inputs.resources;
    assert.is(find(objects, "ConfigMap", "fpm-size")["data"]["zz-size.conf"], `[www]\npm.max_children = ${workers}\n`);
    const mounts = find(objects, "Deployment", "moodle")["spec"].template.spec.containers[0].volumeMounts;
    assert.ok(
      mounts.some((mount: { mountPath: string }) => mount.mountPath === `${inputs.images.fpmDirectory}/zz-size.conf`),
    );
  });

  test(`asks a database over TCP for a row before it counts as ready (${size})`, () => {
    const [container] = find(objects, "StatefulSet", "db")["spec"].template.spec.containers;
    for (const probe of ["startupProbe", "readinessProbe"]) {
      assert.equal(container[probe].exec.command.slice(0, 3), ["psql", "-h", "127.0.0.1"]);
      assert.is(container[probe].exec.command.at(-1), "select 1");
    }
  });

  test(`is never two of the site at once, and is waited for longer than it may take to start (${size})`, () => {
    const { spec } = { spec: find(objects, "Deployment", "moodle")["spec"] };
    const { startupProbe } = spec.template.spec.containers[0];
    assert.equal([spec.replicas, spec.strategy.type], [1, "Recreate"]);
    assert.ok(spec.progressDeadlineSeconds > startupProbe.periodSeconds * startupProbe.failureThreshold);
    assert.is(find(objects, "CronJob", "moodle-cron")["spec"].concurrencyPolicy, "Forbid");
  });

  test(`is denied all traffic but what a policy names, and no source is left open (${size})`, () => {
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
  });

  test(`looks at the site under its own name, from a pod that may reach nothing else (${size})`, () => {
    const job = find(objects, "Job", "health-17")["spec"].template;
    const { command } = job.spec.containers[0];
    assert.ok(command.includes(`Host: ${inputs.host}`) && command.at(-1) === "http://moodle/login/index.php");
    assert.is(job.metadata.labels.role, "probe");
    assert.is(find(objects, "NetworkPolicy", "probe-egress")["spec"].podSelector.matchLabels.role, "probe");
  });

  test(`uses no annotation that one ingress controller alone knows (${size})`, () => {
    const keys = Object.keys(find(objects, "Ingress", "moodle").metadata.annotations ?? {});
    assert.equal(keys.filter((key) => !/^(cert-manager\.io|wheelwright\.dev)\//.test(key)), []);
  });
}

test.run();
