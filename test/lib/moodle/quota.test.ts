import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { computeQuotaUsage } from "#lib/moodle/quota.ts";
import { allObjects, inputsOf, openBlueprint, podSpecs } from "#test/lib/moodle/fixtures.ts";

const test = suite("computeQuotaUsage");
const blueprint = openBlueprint();

test("adds up running pods, the largest Job, two small Jobs, and twice the disks", () => {
  assert.equal(blueprint.quotaUsage(inputsOf(blueprint)), {
    usage: {
      requests: { cpu: "740m", memory: "1632Mi" },
      limits: { cpu: "3400m", memory: "3584Mi" },
      storage: "30Gi",
    },
    quota: { requests: { cpu: "1", memory: "1792Mi" }, limits: { cpu: "4", memory: "4Gi" }, storage: "40Gi" },
    problems: [],
  });
});

// The same sum done another way, container by container, so that a mistake in one of the two shows.
for (const size of Object.keys(blueprint.sizes.sizes)) {
  test(`stays within the quota of size ${size} with any Job and both small Jobs`, () => {
    const inputs = inputsOf(blueprint, {}, size);
    const pods = podSpecs(allObjects(blueprint, inputs));
    const permanent = pods.filter(({ owner }) => !owner.startsWith("Job/"));
    const small = pods.filter(({ owner }) => owner === "Job/verify-17" || owner === "Job/health-17");
    const usual = { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "500m", memory: "512Mi" } };
    for (const job of pods.filter(({ owner }) => owner.startsWith("Job/"))) {
      for (const field of ["requests", "limits"] as const) {
        for (const resource of ["cpu", "memory"] as const) {
          const of = (container: { resources?: typeof usual }) =>
            parseQuantity((container.resources ?? usual)[field][resource]);
          const taken = [...permanent, ...small, job].map(({ spec }) => {
            const together = spec.containers.map(of).reduce((a: number, b: number) => a + b, 0);
            return Math.max(together, ...(spec.initContainers ?? []).map(of));
          }).reduce((a, b) => a + b, 0);
          assert.ok(
            taken <= parseQuantity(inputs.resources.quota[field][resource]),
            `${job.owner} ${field}.${resource}: ${taken}`,
          );
        }
      }
    }
    const { files, database } = inputs.resources.disks;
    assert.ok(2 * (parseQuantity(files) + parseQuantity(database)) <= parseQuantity(inputs.resources.quota.storage));
  });
}

test("counts a pod's largest init container if it exceeds the containers", () => {
  const of = (init: string) =>
    computeQuotaUsage([{
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        template: {
          spec: {
            containers: [{
              name: "a",
              resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
            }],
            initContainers: [{
              name: "i",
              resources: { requests: { cpu: init, memory: "1Mi" }, limits: { cpu: init, memory: "1Mi" } },
            }],
          },
        },
      },
    }], []).usage.requests;
  assert.equal(of("500m"), { cpu: "1000m", memory: "1Gi" });
  assert.equal(of("3"), { cpu: "3000m", memory: "1Gi" });
});

test("reports each container and disk that exceeds its maximum", () => {
  const { resources } = inputsOf(blueprint);
  const inputs = inputsOf(blueprint, {
    resources: { ...resources, largest: { cpu: "900m", memory: "2Gi", disk: "8Gi" } },
  });
  assert.equal(blueprint.quotaUsage(inputs).problems, [
    "the container moodle has a cpu limit of 1; the maximum is 900m",
    "the container setup has a cpu limit of 1; the maximum is 900m",
    "the container seed has a cpu limit of 1; the maximum is 900m",
    "the container courses has a cpu limit of 1; the maximum is 900m",
    "the container addons has a cpu limit of 1; the maximum is 900m",
    "a disk has 10Gi; the maximum is 8Gi",
  ]);
});

test("reports which amount of the quota is too small", () => {
  const { resources } = inputsOf(blueprint);
  const quota = { ...resources.quota, limits: { cpu: "4", memory: "3Gi" } };
  assert.equal(blueprint.quotaUsage(inputsOf(blueprint, { resources: { ...resources, quota } })).problems, [
    "the quota for limits.memory is 3Gi, but 3584Mi is needed",
  ]);
});

test.run();
