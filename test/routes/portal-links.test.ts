/** Tests that each role can open every link and form that it sees. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { manifest } from "#src/manifest.ts";
import { formatDocumentedPath } from "#lib/http/endpoint.ts";
import { attribute } from "#test/support/html-form.ts";
import { sampleParams } from "#test/support/probes/samples.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("links of pages");

test.before(async (context) => {
  const { app, db, spoke } = context.scene = await openScene({ env: { SIGNUP: "on" } });
  const open = () => Promise.reject(new Fault("unavailable", "cluster_unavailable", "The cluster is away")); // answers 503
  Object.assign(app, { clusters: { ...app.clusters, open } });
  await sampleParams(context.scene);
  // The scene's spokes have no blueprint inputs.
  await context.scene.as("operator").post(`/api/federations/${context.scene.hub}/spokes`, { slug: "ash" });
  const made = "from (select blueprint_inputs, lms_version from spokes where slug = 'ash') as ash";
  await db.sql(`update spokes set blueprint_inputs = ash.blueprint_inputs, lms_version = ash.lms_version ${made}`);
  await db.sql("update jobs set state = 'succeeded', finished_at = now()");
  await updateRows(db, "spokes", { health: "degraded" }, { id: spoke });
});
test.after(({ scene }) => scene.close());

const posts = manifest.filter(([, { POST }]) => POST)
  .map(([pattern]) => new RegExp(`^${formatDocumentedPath(pattern).replace(/\{\w+\}/g, "[^/]+")}$`));

for (const who of ["stranger", "spokeAdmin", "hubAdmin", "operator"] as const satisfies readonly SceneRole[]) {
  test(`work for ${who}`, async ({ scene }) => {
    const headers = { ...await scene.as(who).credentials(), accept: "text/html" };
    const visited = new Set(["/hubs"]), dead: string[] = [];
    for (const path of visited) {
      const { status, headers: responseHeaders, body } = await scene.send(path, { headers });
      if (![200, 303, 308, 503].includes(status)) dead.push(`${status} ${path}`);
      if (path.startsWith("/api/") || !responseHeaders.get("content-type")?.startsWith("text/html")) continue;
      const tags = [...String(body).matchAll(/<(?:a|form)\b[^>]*>/g)].map(([tag]) => tag);
      for (const tag of tags) {
        const to = attribute(tag, tag.startsWith("<a") ? "href" : "action") ?? "";
        const [place = ""] = to.split(/[?#]/);
        if (/method="post"/.test(tag)) {
          assert.ok(posts.some((post) => post.test(place)), `${path} has a form for ${to}`);
        } else if (place.startsWith("/")) visited.add(to.split("#")[0]!);
        else assert.match(to, /^(?:#|https?:\/\/|mailto:)/, `${path} links to ${to}`);
      }
      assert.ok(visited.size < 500, "the number of pages is bounded");
    }
    assert.equal(dead, []);
    assert.ok(visited.size > (who === "stranger" ? 8 : 15), `${visited.size} pages were found`);
  });
}

test.run();
