/** Sets up spokes of one hub that each fail in their own way, and a last one that succeeds. */
import { sql } from "kysely";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import type { FailureCase } from "./failure-cases.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

export interface Failures {
  readonly scene: WorkScene;
  /** The IDs of the spokes by slug. */
  readonly ids: Map<string, string>;
  /** The ID of the last spoke. */
  readonly last: string;
}

export async function openFailures(cases: readonly FailureCase[]): Promise<Failures> {
  const scene = await openWorkScene(5, { ACME_EMAIL: "ops@example.org" });
  const hub = await scene.hub("math");
  const ids = new Map<string, string>();
  for (const each of cases) {
    const { slug, domain } = each;
    const { id } = await createSpoke(scene.app, scene.actor, hub, { slug, size: "small", domain } as never, null);
    await breakSpoke(scene, id, each);
    ids.set(slug, id);
  }
  const last = await scene.spoke(hub, "fine");
  await scene.replica();
  return { scene, ids, last };
}

async function breakSpoke(scene: WorkScene, id: string, { faults = [], inputs = [], timeLimit }: FailureCase) {
  const { namespace } = await scene.row(id);
  for (const fault of faults) {
    scene.simulator.faults.add(JSON.parse(JSON.stringify(fault).replaceAll("NS", namespace)) as SimulatorFault);
  }
  for (const [path, value] of inputs) {
    await sql`update spokes set blueprint_inputs =
      jsonb_set(blueprint_inputs, ${`{${path}}`}::text[], ${JSON.stringify(value)}::text::jsonb) where id = ${id}`
      .execute(scene.db.rows);
  }
  if (timeLimit) await sql`update jobs set time_limit_ms = ${timeLimit} where spoke_id = ${id}`.execute(scene.db.rows);
}
