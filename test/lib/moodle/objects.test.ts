import { FEDERATION_LABEL, MANAGED_BY_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { BLUEPRINT_REVISION_ANNOTATION } from "#lib/moodle/names.ts";
import { BLUEPRINT_JOBS } from "#lib/moodle/blueprint-files.ts";
import {
  allObjects,
  builtIn,
  find,
  HUB_STEPS,
  hubInputsOf,
  inputsOf,
  openBlueprint,
  podSpecs,
} from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
const inputs = inputsOf(blueprint);
const OURS = {
  [MANAGED_BY_LABEL]: "wheelwright",
  [FEDERATION_LABEL]: inputs.federationId,
  [SPOKE_LABEL]: inputs.spokeId,
};

function labelsOf(metadata: { labels?: Record<string, string> }): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(OURS).map((label) => [label, metadata.labels?.[label]]));
}

const objects = suite("the objects of a spoke");

objects("have the three owner labels, the revision and the spoke's namespace", () => {
  for (const object of [...allObjects(blueprint, inputs), ...blueprint.newSecrets(inputs)]) {
    assert.equal(labelsOf(object.metadata), OURS, `${object.kind} ${object.metadata.name}`);
    assert.is(object.metadata.annotations?.[BLUEPRINT_REVISION_ANNOTATION], blueprint.revision);
    assert.is(object.metadata.namespace, object.kind === "Namespace" ? undefined : inputs.namespace);
  }
});

objects("set the owner labels in templates of pods, Jobs and PVCs", () => {
  const all = allObjects(blueprint, inputs);
  const pods = podSpecs(all);
  assert.is(pods.length, 3 + BLUEPRINT_JOBS.length);
  for (const { owner, metadata } of pods) assert.equal(labelsOf(metadata), OURS, owner);
  assert.equal(labelsOf(find(all, "CronJob", "moodle-cron")["spec"].jobTemplate.metadata), OURS);
  for (const claim of find(all, "StatefulSet", "db")["spec"].volumeClaimTemplates) {
    assert.equal(labelsOf(claim.metadata), OURS);
  }
});

objects("contain no placeholder, undefined or null", () => {
  const shortened = createBlueprint(builtIn({ "seed.php": "<?php\n", "courses.php": "<?php\n" }));
  const text = JSON.stringify(allObjects(shortened, inputsOf(shortened)));
  assert.not.match(text, /\$\{[A-Z]/);
  assert.not.match(text, /undefined|:null|NaN/);
});

objects("contain only strings in ConfigMaps, Secrets, labels and annotations", () => {
  const hub = HUB_STEPS.flatMap((step) => blueprint.hubObjects(hubInputsOf(blueprint), step));
  for (const object of [...allObjects(blueprint, inputs), ...blueprint.newSecrets(inputs), ...hub]) {
    const { metadata, data, stringData } = object;
    for (const map of [data, stringData, metadata.labels, metadata.annotations]) {
      for (const [key, value] of Object.entries(map ?? {})) assert.type(value, "string", `${metadata.name} ${key}`);
    }
  }
});

objects("name Jobs after the fence", () => {
  for (const job of BLUEPRINT_JOBS) {
    const object = blueprint.jobObject(inputs, job, "42");
    assert.is(object.metadata.name, `${job}-42`);
    assert.is(object["spec"].template.metadata.labels.op, job);
  }
});

objects("set a storage class only if one is configured", () => {
  const configured = { ...blueprint.surroundings, storageClass: "fast" };
  const classes = (surroundings: typeof configured) => {
    const all = allObjects(blueprint, inputsOf(blueprint, { surroundings }));
    const claim = find(all, "PersistentVolumeClaim", "files")["spec"];
    return [claim, find(all, "StatefulSet", "db")["spec"].volumeClaimTemplates[0].spec].map((spec) =>
      spec.storageClassName
    );
  };
  assert.equal(classes(configured), ["fast", "fast"]);
  assert.equal(classes(blueprint.surroundings as typeof configured), [undefined, undefined]);
});

objects("request a certificate only with an issuer", () => {
  const ingress = (issuer: string | null) =>
    find(blueprint.spokeObjects(inputsOf(blueprint, { issuer }), "ingress"), "Ingress", "moodle");
  assert.equal(ingress("i")["spec"].tls, [{ hosts: [inputs.host], secretName: "moodle-tls" }]);
  assert.is(ingress("i").metadata.annotations?.["cert-manager.io/cluster-issuer"], "i");
  assert.not.ok("tls" in ingress(null)["spec"]);
  assert.equal(
    Object.keys(ingress(null).metadata.annotations ?? {}).sort(),
    [
      "nginx.ingress.kubernetes.io/proxy-body-size",
      BLUEPRINT_REVISION_ANNOTATION,
    ].sort(),
  );
});

objects("limit uploads in the ingress, the web server and PHP alike", () => {
  const ingress = find(blueprint.spokeObjects(inputs, "ingress"), "Ingress", "moodle");
  const limit = ingress.metadata.annotations!["nginx.ingress.kubernetes.io/proxy-body-size"];
  const data = find(blueprint.spokeObjects(inputs, "secrets"), "ConfigMap", "moodle-env")["data"];
  for (const name of ["post_max_size", "upload_max_filesize", "client_max_body_size"]) {
    assert.is(data[name].toLowerCase(), limit, name);
  }
});

objects("set whether the site's URL uses https", () => {
  const env = (https: boolean) =>
    find(blueprint.spokeObjects(inputsOf(blueprint, { https }), "secrets"), "ConfigMap", "moodle-env")["data"];
  assert.equal([env(true).SITE_URL, env(true).SSLPROXY], [`https://${inputs.host}`, "true"]);
  assert.equal([env(false).SITE_URL, env(false).SSLPROXY], [`http://${inputs.host}`, "false"]);
});

objects("allow traffic from the control plane only if its namespace is configured", () => {
  const sources = (controlPlaneNamespace?: string) => {
    const surroundings = { ...blueprint.surroundings, ...(controlPlaneNamespace ? { controlPlaneNamespace } : {}) };
    const policies = blueprint.spokeObjects(inputsOf(blueprint, { surroundings }), "policies");
    return find(policies, "NetworkPolicy", "web-from-ingress")["spec"].ingress[0].from;
  };
  const from = (name: string) => ({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } });
  assert.equal(sources(), [from("ingress-nginx")]);
  assert.equal(sources("wheelwright"), [from("ingress-nginx"), from("wheelwright")]);
});

objects("allow another email port only if the relay uses it", () => {
  const ports = (port: number | null) => {
    const mail = port === null ? null : { host: "mail.example.org", port, user: null, from: "noreply@example.org" };
    const policies = blueprint.spokeObjects(inputsOf(blueprint, { mail }), "policies");
    return find(policies, "NetworkPolicy", "app-internet-egress")["spec"].egress[0].ports.map((
      each: { port?: number },
    ) => each.port);
  };
  assert.equal(ports(null), [443, 587, 465]);
  assert.equal(ports(587), [443, 587, 465]);
  assert.equal(ports(2525), [443, 587, 465, 2525]);
});

const hub = suite("the objects of a hub");

hub("are the namespace, then settings objects without data, so that an apply deletes nothing", () => {
  const hubInputs = hubInputsOf(blueprint);
  assert.equal(blueprint.hubObjects(hubInputs, "namespace").map(({ kind, metadata }) => [kind, metadata.name]), [
    ["Namespace", hubInputs.namespace],
  ]);
  const rooms = blueprint.hubObjects(hubInputs, "settings");
  assert.equal(
    rooms.filter(({ kind }) => kind === "ConfigMap" || kind === "Secret").map(({ kind, metadata }) =>
      `${kind}/${metadata.name}`
    ),
    [
      "ConfigMap/identity",
      "Secret/identity",
      "ConfigMap/content",
      "ConfigMap/brand",
    ],
  );
  for (const room of rooms) {
    assert.not.ok("data" in room || "stringData" in room, room.metadata.name);
    assert.is(room.metadata.namespace, hubInputs.namespace);
    assert.is(room.metadata.labels?.[FEDERATION_LABEL], hubInputs.federationId);
  }
});

hub("include a shared ClusterIssuer only with an ACME email address", () => {
  const [issuer] = blueprint.hubObjects(hubInputsOf(blueprint), "issuer");
  assert.equal(issuer?.metadata.labels, { [MANAGED_BY_LABEL]: "wheelwright" });
  assert.is(issuer?.metadata.namespace, undefined);
  assert.is(issuer?.["spec"].acme.email, "ops@example.org");
  assert.is(issuer?.["spec"].acme.solvers[0].http01.ingress.serviceType, "ClusterIP");
  assert.equal(blueprint.hubObjects(hubInputsOf(blueprint, { issuer: null, acmeEmail: null }), "issuer"), []);
});

objects.run();
hub.run();
