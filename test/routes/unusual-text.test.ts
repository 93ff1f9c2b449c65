/** Tests that unusual text reaches the cluster byte for byte, only in its place, and changes nothing else. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import { SITE_RECORD_CONFIG_MAP_NAME } from "#lib/moodle/site-record.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createId } from "#lib/base/ids.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { createConformanceCheck } from "#test/support/conformance.ts";
import { createTestSession } from "#test/support/users.ts";
import { STRANGE_TEXTS } from "#test/support/probes/hostile-values.ts";

/**
 * Combines texts up to the length of a name, because installs are slow. Texts that are unusual as a whole are sent
 * alone.
 */
const ALONE = ["null"];
const TEXTS = [...ALONE, ...joined(STRANGE_TEXTS.filter((text) => !ALONE.includes(text)), 200)];

interface Sent {
  readonly id: string;
  readonly text: string;
  readonly adminEmail: string;
  readonly domain: string;
}

const test = suite<{ scene: WorkScene }>("unusual text");
test.before(async (context) => void (context.scene = await openWorkScene(1)));
test.after(({ scene }) => scene.close());

test("reaches the cluster unchanged, in its place only", async ({ scene }) => {
  const post = await poster(scene);
  const sent = await Promise.all(TEXTS.map(async (text, i): Promise<Sent> => {
    const short = [...text].slice(0, 100).join("");
    const hub = { slug: `hub-${i}`, name: text, region: short, mode: short, tier: short };
    const adminEmail = `o'brien+${i}~!#$%&*/=?^_\`{|}-@example.org`, domain = `xn--bcher-kva.s${i}.example.org`;
    const choices = { contentMode: short, brand: short, seed: short, region: short };
    const spoke = { slug: `s${i}`, displayName: text, adminEmail, domain, identity: true, content: true, ...choices };
    const { id } = await post(`/api/federations/${(await post("/api/federations", hub)).slug}/spokes`, spoke);
    return { id, text, adminEmail, domain };
  }));
  await scene.replica();
  const [first, ...others] = await Promise.all(sent.map((one) => installed(scene, one)));
  for (const one of others) assert.equal(one.others, first!.others, JSON.stringify(one.text));
});

test.run();

/** Joins texts with spaces to results of at most that many code points. */
function joined(texts: readonly string[], most: number): string[] {
  const [all, last] = texts.reduce<[string[], string]>(([done, open], text) => {
    const longer = open ? `${open} ${text}` : text;
    return [...longer].length > most ? [[...done, open], text] : [done, longer];
  }, [[], ""]);
  return [...all, last];
}

/** Checks the objects in the spoke's namespace. Returns them without its texts, names and IDs, for comparison. */
async function installed(scene: WorkScene, { id, text, adminEmail, domain }: Sent) {
  const row = await scene.becomes(id, "active", "failed");
  assert.is(row.state, "active", `${JSON.stringify(text)}: ${row.stateReason}`);
  const objects = scene.simulator.objects().filter(({ metadata }) => metadata.namespace === row.namespace);
  const find = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name) ?? {} as never;
  const { SEED_TITLE, SEED_ADMIN_EMAIL, ...seed } = find("ConfigMap", "seed")["data"];
  assert.is(SEED_TITLE, text);
  assert.is(SEED_ADMIN_EMAIL, adminEmail);
  const record = JSON.parse(find("ConfigMap", SITE_RECORD_CONFIG_MAP_NAME.name)["data"].record);
  assert.equal([record.id, record.displayName, record.domain], [id, text, domain]);
  const [rule] = find("Ingress", "moodle")["spec"].rules;
  assert.is(rule.host, domain);
  const own = [row.namespace, id, row.federationId, row.slug, domain, adminEmail].sort((a, b) => b.length - a.length);
  const neutral = (value: unknown) => own.reduce((all, one) => all.replaceAll(one, "…"), JSON.stringify(value));
  const made = [
    "ConfigMap",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "Ingress",
    "NetworkPolicy",
    "ResourceQuota",
  ];
  const others = objects.filter(({ kind, metadata }) =>
    made.includes(kind) && !["seed", SITE_RECORD_CONFIG_MAP_NAME.name].includes(metadata.name)
  )
    .map(({ kind, metadata, spec, data }) => {
      const { [FENCE_METADATA_KEY]: _, ...annotations } = metadata.annotations ?? {}; // differs per installation
      return neutral({ kind, name: metadata.name, annotations, spec, data });
    });
  return { text, others: [neutral(seed), ...others].sort() };
}

/** Creates a spoke as an operator, with an unusual idempotency key. */
async function poster(scene: WorkScene) {
  await scene.db.sql("update users set operator = true, email_verified_at = now() where id = $1", [scene.actor.userId]);
  const { id } = await createTestSession(scene.db, { id: scene.actor.userId, email: scene.actor.email });
  const actor: Actor = { ...scene.actor, credential: { kind: "session", id, recent: true, hasFactor: false } };
  const server = openServer(scene.app, manifest, { authenticate: () => Promise.resolve(actor) });
  const conform = createConformanceCheck(manifest);
  return async (path: string, body: object) => {
    const headers = {
      "content-type": "application/json",
      "idempotency-key": `'";--\${x}$(y)\`z\`{{}}\\${createId("req")}`,
    };
    const request = new Request(`http://localhost:3000${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const response = await server.request(request), text = await response.text();
    conform({ method: "POST", path, status: response.status, headers: response.headers, text });
    assert.is(response.status, 201, text);
    const made = JSON.parse(text);
    for (const [name, value] of Object.entries(body)) assert.is(made[name], value, name);
    return made;
  };
}
