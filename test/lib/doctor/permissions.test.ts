/** The list against what is really asked of a cluster, through a life of a hub and a spoke, and by doctor itself. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PERMISSIONS } from "#lib/doctor/permissions.ts";
import { silent } from "#lib/log.ts";
import { acceptAction } from "#lib/spokes/actions.ts";
import { acceptRemoval } from "#lib/spokes/remove.ts";
import { lookOnce } from "#test/lib/work/sweep/looks.ts";
import { makeApp, openWorkScene, startReplica } from "../work/scene.ts";
import { type Asked, openBetween } from "./between.ts";
import { openScene } from "./scene.ts";

const test = suite("PERMISSIONS");

/** `create jobs.batch`, for each permission that the request needs; none for discovery and reviews. */
function permissionsOf({ method, path, query }: Asked): string[] {
  const [, version = "", rest = ""] = /^\/(?:api|apis)\/(v1|[^/]+\/[^/]+)\/(.+)$/.exec(path) ?? [];
  const parts = rest.split("/");
  if (parts[0] === "namespaces" && parts.length > 2) parts.splice(0, 2);
  const [plural = "", name, subresource] = parts;
  if (plural === "" || plural === "selfsubjectaccessreviews") return [];
  const group = version === "v1" ? "" : `.${version.split("/")[0]}`;
  const resource = plural + group + (subresource ? `/${subresource}` : "");
  return verbsOf(method, name, query).map((verb) => `${verb} ${resource}`);
}

function verbsOf(method: string, name: string | undefined, query: URLSearchParams): string[] {
  if (method === "POST") return ["create"];
  if (method === "DELETE") return ["delete"];
  if (method === "PATCH") return query.has("force") ? ["patch", "create"] : ["patch"]; // an apply may make its object
  return [name !== undefined ? "get" : query.has("watch") ? "watch" : "list"];
}

function nameOf({ verb, group, resource }: (typeof PERMISSIONS)[number]): string {
  const [plural, subresource] = resource.split("/");
  return `${verb} ${plural}${group && `.${group}`}${subresource ? `/${subresource}` : ""}`;
}

async function live(): Promise<readonly Asked[]> {
  const env = { ACME_EMAIL: "ops@example.org" };
  const scene = await openWorkScene(5, env);
  const between = await openBetween(scene.simulator.url);
  const { app, close } = await makeApp(scene.db, between.kubeconfig(), silent, env);
  const scheduler = await startReplica(app);
  try {
    const act = (
      id: string,
      action: "suspend" | "resume" | "restart" | "backup" | "resize" | "reapply",
      wish: object = {},
    ) => scene.db.transact((tx) => acceptAction(app, tx, scene.actor, id, { action, wish }));
    const hub = await scene.hub("math");
    const id = await scene.spoke(hub, "algebra");
    await scene.becomes(id, "active", "failed");
    await act(id, "suspend");
    await scene.becomes(id, "suspended");
    await act(id, "resume");
    await scene.becomes(id, "active");
    await act(id, "restart");
    await scene.ended(id, "restart");
    await act(id, "resize", { size: "medium" });
    await scene.ended(id, "resize");
    for (let time = 0; time < 3; time++) { // one a day is kept: the next one has it removed, if midnight is not between
      await act(id, "backup");
      await scene.ended(id, "backup");
    }
    await act(id, "reapply");
    await scene.ended(id, "reapply");
    await lookOnce(app);
    scene.simulator.faults.failJob("install-", { log: ["no luck"] });
    const failing = await scene.spoke(hub, "broken");
    await scene.becomes(failing, "failed"); // its log and events are read
    await scene.db.transact((tx) => acceptRemoval(tx, scene.actor, id));
    await scene.becomes(id, "removed");
    return between.asked;
  } finally {
    await scheduler.close();
    await close();
    await between.close();
    await scene.close();
  }
}

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
  const asked = new Set([...await live(), ...await examined()].flatMap(permissionsOf));
  const listed = new Set(PERMISSIONS.map(nameOf));
  assert.equal([...asked].filter((each) => !listed.has(each)).sort(), [], "asked for, and not in the list");
  // What is only a hint is not asked for where everything is ready at the first look.
  const certain = PERMISSIONS.filter(({ without }) => without === null || /doctor/.test(without)).map(nameOf);
  assert.equal(certain.filter((each) => !asked.has(each)).sort(), [], "in the list, and never asked for");
});

test("are named once each.", () => {
  const names = PERMISSIONS.map(nameOf);
  assert.equal(names.filter((name, index) => names.indexOf(name) !== index), []);
});

test.run();
