import { openWorkScene } from "#test/lib/work/scene.ts";
import { acceptAction } from "#lib/spokes/actions.ts";
const scene = await openWorkScene();
const show = async (id) => {
  for (const op of await scene.operations(id)) {
    console.log(
      op.kind,
      op.state,
      op.attempt,
      op.stepsDone.length,
      op.label,
      JSON.stringify(op.failure)?.slice(0, 1500),
    );
  }
};
try {
  const hub = await scene.hub("math");
  const bad = await scene.spoke(hub, "bad");
  const tight = await scene.spoke(await scene.hub("art"), "tight");
  await scene.db.sql(
    `update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{images,moodle}', '"registry.example/gone:1"')
     where id = $1`,
    [bad],
  );
  await scene.db.sql(
    `update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{resources,quota,limits,memory}', '"600Mi"') where id = $1`,
    [tight],
  );
  const fault = scene.simulator.faults.missingImage("registry.example/gone");
  await scene.replica();
  await scene.becomes(bad, "active", "failed");
  scene.simulator.faults.heal(fault);
  await scene.db.transact((tx) => acceptAction(tx, scene.actor, bad, "retry"));
  await scene.becomes(bad, "active", "failed");
  await show(bad);
  await new Promise((r) => setTimeout(r, 3000));
  await show(tight);
  console.log(
    scene.simulator.objects("Event").filter((e) => /quota/.test(e.message)).slice(-3).map((e) =>
      e.message + " " + e.count
    ),
  );
  console.log(
    scene.simulator.objects("Event").filter((e) =>
      e.involvedObject.name.includes("install") && e.metadata.namespace.includes("bad")
    ).map((e) => e.involvedObject.name + ": " + e.reason + ": " + e.message),
  );
} finally {
  await scene.close();
}
