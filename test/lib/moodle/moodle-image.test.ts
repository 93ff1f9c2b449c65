/** Tests how the manifests handle peculiarities of the Moodle image, for every size. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { BLUEPRINT_JOBS } from "#lib/moodle/blueprint-files.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { parseSiteIdentity } from "#lib/moodle/job-results.ts";
import { allObjects, find, inputsOf, openBlueprint, podSpecs } from "#test/lib/moodle/fixtures.ts";

const test = suite("the manifests for the Moodle image");
const blueprint = openBlueprint();
const SIZES = Object.keys(blueprint.sizes.sizes).map((size) => {
  const inputs = inputsOf(blueprint, { displayName: "School of Arts & Crafts; 'old'" }, size);
  const objects = [...allObjects(blueprint, inputs), ...blueprint.newSecrets(inputs)];
  const pods = podSpecs(objects);
  const containers = pods.flatMap(({ owner, spec }) =>
    [...spec.containers, ...spec.initContainers ?? []].map((container) => ({ owner, pod: spec, container }))
  );
  return { size, inputs, objects, pods, containers, env: find(objects, "ConfigMap", "moodle-env")["data"] };
});
const SHELL_WORD = /^[A-Za-z0-9._@+=\/:-]*$/;

const specOf = (objects: readonly KubeObject[], kind: string, name: string) => find(objects, kind, name)["spec"];

test("pass the slug to the image, and set the title in the seed", () => {
  for (const { env, objects, inputs } of SIZES) {
    assert.is(env.MOODLE_SITENAME, inputs.slug);
    assert.is(env.MOODLE_MAIL_PREFIX, `${inputs.slug}:`);
    assert.is(find(objects, "ConfigMap", "seed")["data"].SEED_TITLE, inputs.displayName);
  }
});

test("pass only values that sed does not change", () => {
  for (const { env, objects } of SIZES) {
    const { PRE_CONFIGURE_COMMANDS: _, POST_CONFIGURE_COMMANDS: __, ...words } = env;
    const { stringData } = find(objects, "Secret", "moodle");
    for (const [name, value] of Object.entries<string>({ ...words, ...stringData })) {
      assert.match(value, SHELL_WORD, name);
    }
  }
});

test("create the directories of code and data first, because root owns the volume", () => {
  for (const { pods } of SIZES) {
    const users = pods.filter(({ spec }) => JSON.stringify(spec).includes('"claimName":"files"'));
    assert.ok(users.length > 0);
    for (const { owner, metadata, spec } of users) {
      assert.is(metadata.labels["files-user"], "true", owner);
      const [term] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
      assert.equal(term.labelSelector.matchLabels, { "files-user": "true" }, owner);
      for (const container of spec.containers.filter((each: { name: string }) => each.name !== "files")) {
        for (const mount of container.volumeMounts.filter((each: { name: string }) => each.name === "files")) {
          // The Job that changes add-ons also needs the whole volume, to move directories from data to code.
          assert.is(mount.subPath ? `/var/www/${mount.subPath}` : "/volume", mount.mountPath, owner);
        }
      }
    }
    for (const name of ["install-17", "moodle"]) {
      const pod = pods.find(({ owner }) => owner.endsWith(`/${name}`));
      assert.is(pod?.spec.initContainers.at(-1).command.at(-1), "mkdir -p /v/html /v/moodledata", name);
    }
  }
});

test("start without an upgrade, and keep maintenance mode", () => {
  for (const { env, containers } of SIZES) {
    assert.is(env.AUTO_UPDATE_MOODLE, "false");
    const others = containers.filter(({ container }) =>
      container.env?.some((each: { name: string }) => each.name === "AUTO_UPDATE_MOODLE")
    );
    assert.equal(others.map(({ owner }) => owner), ["Job/upgrade-17"]);
  }
});

test("reset schema, data and config.php unless rolesactive is 1", () => {
  assert.is(parseSiteIdentity(["tables|415", "rolesactive|0"]).state, "partial");
  for (const { objects } of SIZES) {
    const { initContainers: [schema], containers: [files] } = specOf(objects, "Job", "reset-17").template.spec;
    assert.match(
      schema.command.join("\n"),
      /active = '1'[^]*drop schema if exists public cascade[^]*create schema public/,
    );
    assert.ok(schema.command.includes("--single-transaction"));
    assert.is(files.command.at(-1), "rm -rf /v/moodledata /v/html/config.php && mkdir -p /v/html /v/moodledata");
    for (const job of BLUEPRINT_JOBS) assert.is(specOf(objects, "Job", `${job}-17`).backoffLimit, 0, job);
  }
});

test("give every Job a deadline, because the image waits for the database forever", () => {
  const names = OPERATIONS.provision.kind.steps.map(({ name }) => name);
  assert.ok(names.indexOf("database") < names.indexOf("install"));
  for (const { objects } of SIZES) {
    for (const job of BLUEPRINT_JOBS) {
      const { activeDeadlineSeconds } = specOf(objects, "Job", `${job}-17`);
      // An upgrade of a large site takes hours. So may reading all its files, packing courses, or changing add-ons.
      const isLong = job.includes("-course") || job.startsWith("addons-");
      const most = job === "upgrade" ? 21_600 : job === "verify-files" ? 5400 : isLong ? 3600 : 1800;
      assert.ok(activeDeadlineSeconds > 0 && activeDeadlineSeconds <= most, job);
    }
    const [guard] = specOf(objects, "Job", "install-17").template.spec.initContainers;
    assert.is(guard.command[0], "psql");
    assert.ok(guard.env.some((each: { name: string }) => each.name === "PGCONNECT_TIMEOUT"));
  }
});

test("allow downloads at the first start of Moodle 5.1 and later", () => {
  for (const { objects, pods } of SIZES) {
    const { podSelector, egress } = specOf(objects, "NetworkPolicy", "app-internet-egress");
    assert.equal(podSelector, { matchLabels: { role: "app" } });
    assert.ok(egress[0].ports.some(({ port }: { port: number }) => port === 443));
    for (const owner of ["Job/install-17", "Deployment/moodle"]) {
      assert.is(pods.find((pod) => pod.owner === owner)!.metadata.labels.role, "app");
    }
    assert.is(specOf(objects, "Job", "install-17").activeDeadlineSeconds, 1800);
  }
});

test("enable the opcode cache, and let it detect new code", () => {
  for (const { env } of SIZES) assert.equal([env.opcache_enable, env.opcache_validate_timestamps], ["1", "1"]);
});

test("set the number of PHP workers by size", () => {
  for (const { objects, inputs } of SIZES) {
    const { workers } = inputs.resources;
    assert.is(find(objects, "ConfigMap", "fpm-size")["data"]["zz-size.conf"], `[www]\npm.max_children = ${workers}\n`);
    const mounts = specOf(objects, "Deployment", "moodle").template.spec.containers[0].volumeMounts;
    const path = `${inputs.images.fpmDirectory}/zz-size.conf`;
    assert.ok(
      mounts.some(({ mountPath, subPath }: Record<string, string>) => mountPath === path && subPath === "zz-size.conf"),
    );
  }
});

test("use the image's administrator for the control plane, and create another for the tenant", () => {
  for (const { env, objects, containers, inputs } of SIZES) {
    assert.equal([env.MOODLE_USERNAME, env.MOODLE_EMAIL], ["cpadmin", "cpadmin@wheelwright.invalid"]);
    assert.is(find(objects, "ConfigMap", "seed")["data"].SEED_ADMIN_EMAIL, inputs.adminEmail);
    const script: string = find(objects, "ConfigMap", "seed-script")["data"]["seed.php"];
    assert.equal([...script.matchAll(/'username' => '(\w+)'/g)].map(([, name]) => name), ["admin", "admin"]);
    const holders = containers.filter(({ container }) => JSON.stringify(container.envFrom ?? []).includes('"admin"'));
    assert.equal(
      holders.map(({ owner }) => owner),
      ["Job/setup-17", "Job/seed-17"],
      "nothing else knows the tenant's password",
    );
  }
});

test("keep the root file system writable, and set numeric user IDs", () => {
  for (const { containers } of SIZES) {
    for (const { owner, pod, container } of containers) {
      assert.is(pod.securityContext.runAsNonRoot, true, owner);
      assert.type(pod.securityContext.runAsUser, "number", owner);
      assert.is(pod.securityContext.seccompProfile.type, "RuntimeDefault", owner);
      assert.is(container.securityContext.allowPrivilegeEscalation, false, owner);
      assert.equal(container.securityContext.capabilities.drop, ["ALL"], owner);
      assert.is(container.securityContext.readOnlyRootFilesystem, undefined, owner);
    }
  }
});

test("disable Service variables and service account tokens", () => {
  for (const { pods } of SIZES) {
    for (const { owner, spec } of pods) {
      assert.equal([spec.enableServiceLinks, spec.automountServiceAccountToken], [false, false], owner);
    }
  }
});

test("always set a mail server, because the image's default is public", () => {
  const mail = { host: "mail.example.org", port: 465, user: "u", from: "noreply@example.org" };
  for (const { env, objects, inputs } of SIZES) {
    assert.is(env.SMTP_HOST, "localhost");
    assert.is(find(objects, "ConfigMap", "seed")["data"].SEED_MAIL, "off");
    const given = allObjects(blueprint, { ...inputs, mail });
    const { SMTP_HOST, SMTP_PROTOCOL } = find(given, "ConfigMap", "moodle-env")["data"];
    assert.equal([SMTP_HOST, SMTP_PROTOCOL], ["mail.example.org", "ssl"]);
  }
  const script = find(SIZES[0]!.objects, "ConfigMap", "seed-script")["data"]["seed.php"];
  assert.match(script, /set_config\('noemailever', \$mail === 'off' \? 1 : 0\)/);
});

test("use no annotation of a single ingress controller, except for the upload limit of ingress-nginx", () => {
  // Without it, ingress-nginx would refuse uploads of more than 1 MB. Other controllers ignore it, and have no limit.
  const known = /^(?:(?:cert-manager\.io|wheelwright\.dev)\/|nginx\.ingress\.kubernetes\.io\/proxy-body-size$)/;
  for (const { objects, inputs } of SIZES) {
    const keys = Object.keys(find(objects, "Ingress", "moodle").metadata.annotations ?? {});
    assert.equal(keys.filter((key) => !known.test(key)), []);
    const surroundings = { ...inputs.surroundings, ingressClass: "traefik" };
    const other = blueprint.spokeObjects({ ...inputs, surroundings }, "ingress");
    assert.is(specOf(other, "Ingress", "moodle").ingressClassName, "traefik");
  }
});

// That the last snapshot takes a class that retains, and keeps the contents' names, is in test/lib/workers/remove.test.ts.
test("apply no VolumeSnapshot, and keep both PVCs identifiable", () => {
  for (const { objects } of SIZES) {
    assert.equal(objects.filter(({ kind }) => kind.startsWith("VolumeSnapshot")), []);
    assert.is(find(objects, "PersistentVolumeClaim", "files").metadata.labels?.["backup-group"], "spoke");
    const [claim] = specOf(objects, "StatefulSet", "db").volumeClaimTemplates;
    assert.equal([claim.metadata.name, claim.metadata.labels["backup-group"]], ["data", "spoke"]);
    assert.is(specOf(objects, "ResourceQuota", "spoke").hard["count/volumesnapshots.snapshot.storage.k8s.io"], "40");
  }
});

test.run();
