import { openWorkScene } from "#test/lib/work/scene.ts";
const scene = await openWorkScene();
try {
  await scene.replica();
  const hub = await scene.hub("math");
  const id = await scene.spoke(hub, "algebra");
  const row = await scene.becomes(id, "active", "failed").catch((e) => e);
  console.log(row.state, row.state_reason);
  for (const op of await scene.operations(id)) console.log(op.kind, op.state, op.stepsDone, op.label, JSON.stringify(op.failure)?.slice(0,2000));
  console.log(await scene.db.sql("select kind,state,label,failure from jobs"));
  console.log((await scene.db.sql("select type, data->'operation'->>'step' as step, data->'operation'->>'label' as label from stream_events order by number")).map((r) => Object.values(r).join(" ")).join("\n"));
} finally { await scene.close(); }
