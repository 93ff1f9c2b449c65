/** The list against what is really asked of a cluster, through a life of a hub and a spoke, and by doctor itself. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PERMISSIONS } from "#lib/doctor/permissions.ts";
import { namePermission, neededFor } from "./asked.ts";
import type { Asked } from "./between.ts";
import { liveThrough } from "./life.ts";
import { openScene } from "./scene.ts";

const test = suite("PERMISSIONS");

async function examined(): Promise<readonly Asked[]> {
  const scene = await openScene();
  try {
    const { KUBECONFIG, asked } = await scene.between();
    await scene.cluster({ trial: true, env: { KUBECONFIG } });
    return asked;
  } finally {
    await scene.close();
  }
}

test("are all that is asked for, and nothing besides.", async () => {
  const asked = new Set([...await liveThrough(), ...await examined()].flatMap((each) => neededFor(each).permissions));
  const listed = new Set(PERMISSIONS.map(namePermission));
  assert.equal([...asked].filter((each) => !listed.has(each)).sort(), [], "asked for, and not in the list");
  // What is only a hint is not asked for where everything is ready at the first look.
  const certain = PERMISSIONS.filter(({ without }) => without === null || /doctor/.test(without)).map(namePermission);
  assert.equal(certain.filter((each) => !asked.has(each)).sort(), [], "in the list, and never asked for");
});

test("are named once each.", () => {
  const names = PERMISSIONS.map(namePermission);
  assert.equal(names.filter((name, index) => names.indexOf(name) !== index), []);
});

test.run();
