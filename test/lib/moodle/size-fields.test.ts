import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { computeResizedInputs } from "#lib/moodle/resize.ts";
import { buildSizePatch, findSizeDependentFields, readSizeDependentField } from "#lib/moodle/size-fields.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { applyJsonPatch } from "#lib/dev/simulator/api/patch.ts";
import { edited, find, inputsOf, openBlueprint, STEPS } from "#test/lib/moodle/fixtures.ts";

const test = suite("findSizeDependentFields");
const blueprint = openBlueprint(), { sizes } = blueprint.sizes;
const small = inputsOf(blueprint);
const large = computeResizedInputs(small, "large", sizes["large"]!, { canGrow: { files: true, database: true } });

function patched(object: KubeObject, operations: readonly PatchOperation[]): KubeObject {
  return applyJsonPatch(object, operations);
}

test("turns the objects of one size into those of another", () => {
  for (const [from, to] of [[small, large], [large, small]] as const) {
    const target = { ...to, madeDatabaseDisk: "5Gi" };
    for (const step of STEPS) {
      const fieldsOf = findSizeDependentFields(target, (inputs) => blueprint.spokeObjects(inputs, step));
      const expected = blueprint.spokeObjects(target, step);
      for (const [i, object] of blueprint.spokeObjects({ ...from, madeDatabaseDisk: "5Gi" }, step).entries()) {
        const fields = fieldsOf.find(({ ref }) =>
          ref.kind === object.kind && ref.name === object.metadata.name
        )?.fields ??
          [];
        assert.equal(
          patched(object, buildSizePatch(object, fields)),
          expected[i],
          `${object.kind} ${object.metadata.name}`,
        );
      }
    }
  }
});

test("returns every field that depends on the size, even if its value stays the same", () => {
  const [set] = findSizeDependentFields(small, (inputs) => blueprint.spokeObjects(inputs, "database"));
  assert.equal(set!.fields.map(({ value }) => value), ["100m", "256Mi", "500m", "512Mi"]);
});

test("omits the database's PVC template, which is immutable", () => {
  const [set] = findSizeDependentFields(large, (inputs) => blueprint.spokeObjects(inputs, "database"));
  assert.equal(set!.fields.filter(({ path }) => path.includes("volumeClaimTemplates")), []);
});

test("finds quantities anywhere in a manifest", () => {
  const own = createBlueprint(
    edited("settings.yaml", "MOODLE_LANGUAGE: en", 'MOODLE_LANGUAGE: en\n  ROOM: "${QUOTA_STORAGE}"'),
  );
  const fieldsOf = findSizeDependentFields(large, (inputs) => own.spokeObjects(inputs, "secrets"));
  const env = fieldsOf.find(({ ref }) => ref.name === "moodle-env")!;
  assert.equal(env.fields, [{ path: ["data", "ROOM"], value: "520Gi" }]);
});

test("finds containers by name if the cluster has inserted others", () => {
  const deployment = structuredClone(find(blueprint.spokeObjects(small, "app"), "Deployment", "moodle"));
  const sidecar = { name: "mesh", image: "mesh:1", resources: { limits: { cpu: "9" } } };
  deployment["spec"].template.spec.containers.unshift(sidecar);
  const { fields } = findSizeDependentFields(large, (inputs) => blueprint.spokeObjects(inputs, "app"))[0]!;
  const operations = buildSizePatch(deployment, fields);
  const after = patched(deployment, operations)["spec"].template.spec.containers;
  assert.equal([after[0], after[1].resources], [sidecar, large.resources.app]);
  const moved = structuredClone(deployment);
  moved["spec"].template.spec.containers.reverse();
  assert.throws(() => patched(moved, operations));
});

test("adds missing parents", () => {
  const deployment = structuredClone(find(blueprint.spokeObjects(small, "app"), "Deployment", "moodle"));
  delete deployment["spec"].template.spec.containers[0].resources;
  const { fields } = findSizeDependentFields(large, (inputs) => blueprint.spokeObjects(inputs, "app"))[0]!;
  const after = patched(deployment, buildSizePatch(deployment, fields));
  assert.equal(after["spec"].template.spec.containers[0].resources, large.resources.app);
});

test("rejects a missing container", () => {
  const deployment = structuredClone(find(blueprint.spokeObjects(small, "app"), "Deployment", "moodle"));
  deployment["spec"].template.spec.containers[0].name = "other";
  const { fields } = findSizeDependentFields(large, (inputs) => blueprint.spokeObjects(inputs, "app"))[0]!;
  assert.throws(() => buildSizePatch(deployment, fields), /The Deployment moodle lacks moodle/);
});

test("reads current values, also under names with a dot or slash", () => {
  const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x", annotations: {} }, data: { "a.b": "1" } };
  assert.is(readSizeDependentField(object, ["data", "a.b"]), "1");
  assert.is(readSizeDependentField(object, ["data", "c", { at: 0 }]), undefined);
  const after = patched(object, buildSizePatch(object, [{ path: ["metadata", "annotations", "x.y/z~"], value: "2" }]));
  assert.equal(after.metadata.annotations, { "x.y/z~": "2" });
});

test.run();
