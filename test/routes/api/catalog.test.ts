import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/catalog");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const FULL = `
regions:
  - name: eu-west
    title: Europe (west)
    context: prod-eu
    cluster: { storageClass: fast-ssd, ingressClass: traefik, snapshotClass: csi-snap, issuer: corporate-ca }
  - us-east
tiers: [{ name: premium, title: With support }]
modes: [open, closed]
contentModes: [{ name: copy, title: A copy of its own }]
brands: [{ name: ocean, title: Ocean, color: "#00446a", scss: ".secret { top: 0 }" }]
seeds: [{ name: demo, title: A demonstration, courses: [{ shortname: DEMO, title: A course }] }]
versions: [{ name: 4.5.12, title: Long-term }, { name: 5.2.2 }]
sizes:
  - { name: small, title: For a school, price: { currency: EUR, monthly: 1900 } }
  - { name: large, price: { currency: EUR, monthly: 6200 } }
  - { name: medium }
defaultSize: small
`;

const look = async ({ scene }: { scene: Scene }) => {
  const { status, body } = await scene.as("stranger", "readonly").get("/api/catalog");
  assert.is(status, 200);
  return body;
};

/** Runs with another catalog or a payment provider. */
async function meanwhile(
  { scene: { app } }: { scene: Scene },
  change: object,
  work: () => Promise<void>,
): Promise<void> {
  const { catalog, payments } = app;
  Object.assign(app, change);
  await work();
  Object.assign(app, { catalog, payments });
}

test("shows sizes and versions to every signed-in user", async (context) => {
  const body = await look(context);
  assert.equal(body.sizes.map((size: { name: string }) => size.name), ["small", "medium", "large"]);
  assert.equal(body.versions.filter((version: { default: boolean }) => version.default).length, 1);
  assert.equal(body.open, ["regions", "tiers", "modes", "contentModes", "brands", "seeds", "versions"]);
  assert.equal([body.currency, body.charged, body.rootDomain], [null, false, "spokes.example.org"]);
});

test("shows all values that forms need, for a complete file", async (context) => {
  const catalog = loadCatalog(FULL, context.scene.app.blueprint);
  await meanwhile(context, { catalog, payments: {} }, async () => {
    const { sizes, ...body } = await look(context);
    const untitled = (...names: string[]) => names.map((name) => ({ name, title: null }));
    assert.equal(body, {
      regions: [{ name: "eu-west", title: "Europe (west)" }, ...untitled("us-east")],
      tiers: [{
        ...{ name: "premium", title: "With support", restricted: false, placement: null, sizes: null },
        ...{ backups: { window: null, retention: null }, bounds: { spokes: null, storage: null } },
      }],
      modes: untitled("open", "closed"),
      contentModes: [{ name: "copy", title: "A copy of its own" }],
      brands: [{ name: "ocean", title: "Ocean" }],
      seeds: [{ name: "demo", title: "A demonstration" }],
      versions: [
        { name: "4.5.12", title: "Long-term", preview: false, default: true },
        { name: "5.2.2", title: null, preview: true, default: false },
      ],
      open: [],
      addons: null,
      webInstaller: false,
      defaults: {
        ...{ size: "small", lmsVersion: "4.5.12", identity: false, content: false },
        ...{ region: null, tier: null, mode: null, contentMode: null, brand: null, seed: null },
      },
      currency: "EUR",
      charged: true,
      rootDomain: "spokes.example.org",
    });
    assert.equal(sizes.map(({ name, title, default: usual, price }: Size) => [name, title, usual, price]), [
      ["small", "For a school", true, { currency: "EUR", monthly: 1900 }],
      ["large", null, false, { currency: "EUR", monthly: 6200 }],
      ["medium", null, false, null],
    ]);
  });
});

interface Size {
  readonly name: string;
  readonly title: string | null;
  readonly default: boolean;
  readonly price: unknown;
  readonly quota: { readonly requests: object; readonly limits: object; readonly storage: string };
}

test("shows the limits of a size, which match a new spoke's", async (context) => {
  const { sizes }: { sizes: Size[] } = await look(context);
  for (const { name, quota } of sizes) {
    const request = { slug: "ash", size: name };
    const { body } = await context.scene.as("hubAdmin").post("/api/federations/north/spokes?dryRun=true", request);
    assert.equal(quota, body.quota.quota, name);
  }
});

test("shows the defaults of new hubs and spokes", async (context) => {
  const { defaults } = await look(context);
  const { body } = await context.scene.as("hubAdmin").post("/api/federations/north/spokes?dryRun=true", {
    slug: "ash",
  });
  const { size, lmsVersion, identity, content, contentMode, brand, seed, region } = body.spoke;
  const { tier, mode, ...hub } = (await context.scene.as("operator").post("/api/federations", { slug: "bare" })).body;
  assert.equal({ size, lmsVersion, identity, content, region, tier, mode, contentMode, brand, seed }, defaults);
  assert.is(hub.region, null);
});

test("shows no currency if prices have several", async (context) => {
  const prices = [{ currency: "EUR", monthly: 1 }, { currency: "USD", monthly: 1 }];
  const file = JSON.stringify({ sizes: ["small", "medium"].map((name, i) => ({ name, price: prices[i] })) });
  await meanwhile(context, { catalog: loadCatalog(file, context.scene.app.blueprint) }, async () => {
    assert.is((await look(context)).currency, null);
  });
});

test("hides clusters, brand settings and seed contents", async (context) => {
  await meanwhile(context, { catalog: loadCatalog(FULL, context.scene.app.blueprint) }, async () => {
    const text = JSON.stringify(await look(context));
    assert.not.match(text, /prod-eu|fast-ssd|traefik|csi-snap|corporate-ca|scss|secret|DEMO|image|storageClass/);
  });
});

test("answers 401 without credentials", async ({ scene }) => {
  assert.is((await scene.as("nobody").get("/api/catalog")).status, 401);
});

test.run();
