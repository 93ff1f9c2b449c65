import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { CatalogView } from "#lib/catalog/view.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
/** The fields that depend on the service's configuration. */
const Offered = v.strictObject(v.omit(CatalogView, ["charged", "rootDomain"]).entries);

const FILE = `
regions:
  - { name: eu-west, title: Europe (west), context: prod-eu, cluster: { storageClass: fast, ingressClass: traefik } }
  - us-east
tiers: [standard, premium]
modes: []
brands:
  - { name: ocean, color: "#00446a" }
  - plain
seeds:
  - { name: demo, courses: [{ shortname: DEMO, title: A demonstration }] }
  - { name: later }
versions: [4.5.12, { name: 5.2.2, title: Current }]
sizes:
  - { name: small, price: { currency: EUR, monthly: 1900 } }
  - { name: large, title: For universities }
`;

const none = suite("loadCatalog without a file");

none("offers the blueprint's sizes and versions, and accepts any text in other fields", () => {
  const catalog = loadCatalog(undefined, blueprint);
  assert.equal(catalog.choices("size"), ["small", "medium", "large"]);
  for (const field of ["region", "tier", "mode", "contentMode", "brand", "seed"] as const) {
    assert.is(catalog.choices(field), null);
    assert.is(catalog.findProblem(field, "anything at all"), null);
  }
  assert.equal(catalog.defaults, { size: "medium", version: "4.5.12" });
  assert.is(catalog.findProblem("size", "huge"), "must be one of small, medium, large");
  assert.is(catalog.findProblem("size", "__proto__"), "must be one of small, medium, large");
  assert.equal(catalog.surroundingsOf("anywhere"), blueprint.surroundings);
  assert.is(catalog.priceOf("small"), null);
});

none("accepts any valid version number", () => {
  const catalog = loadCatalog(undefined, blueprint);
  for (const version of ["4.5.12", "4.5", "5.0.3", "3.11.18"]) {
    assert.is(catalog.findProblem("lmsVersion", version), null, version);
  }
  for (const version of ["latest", "4.5:x", ""]) {
    assert.is(catalog.findProblem("lmsVersion", version), "must be a version such as 4.5.12", version);
  }
  assert.is(catalog.imagesOf("5.0.3").moodle, "erseco/alpine-moodle:v5.0.3-php84");
});

none("lists the unrestricted sections in its view", () => {
  const { view } = loadCatalog(undefined, blueprint);
  assert.equal(view, v.parse(Offered, view));
  assert.equal(view.open, ["regions", "tiers", "modes", "contentModes", "brands", "seeds", "versions"]);
  assert.equal(view.regions, []);
  assert.equal(view.versions.map(({ name, preview, default: usual }) => [name, preview, usual]), [[
    "4.5.12",
    false,
    true,
  ], [
    "5.2.2",
    true,
    false,
  ]]);
  assert.equal(view.sizes.map(({ name, default: usual }) => [name, usual]), [["small", false], ["medium", true], [
    "large",
    false,
  ]]);
  assert.is(view.sizes[0]?.resources.app.limits.memory, "1Gi");
});

const some = suite("loadCatalog with a file");
const catalog = loadCatalog(FILE, blueprint);

some("reports the allowed values for a value that is not offered", () => {
  assert.is(catalog.findProblem("region", "eu-west"), null);
  assert.is(catalog.findProblem("region", "mars"), "must be one of eu-west, us-east");
  assert.is(catalog.findProblem("tier", "gold"), "must be one of standard, premium");
  assert.is(catalog.findProblem("brand", "lava"), "must be one of ocean, plain");
  assert.is(catalog.findProblem("size", "medium"), "must be one of small, large");
  assert.is(catalog.findProblem("lmsVersion", "4.5"), "must be one of 4.5.12, 5.2.2");
  assert.is.not(catalog.findProblem("mode", "any"), null);
  assert.is(catalog.findProblem("contentMode", "what has no section is free"), null);
});

some("defaults to its first size if the blueprint's default is not offered", () => {
  assert.equal(catalog.defaults, { size: "small", version: "4.5.12" });
  assert.is(loadCatalog(`${FILE}\ndefaultSize: large\n`, blueprint).defaults.size, "large");
});

some("returns a region's context and cluster settings", () => {
  assert.is(catalog.regions.find(({ name }) => name === "eu-west")?.context, "prod-eu");
  assert.is(catalog.regions.find(({ name }) => name === "us-east")?.context, undefined);
  const { storageClass, ingressClass, ingressNamespace } = catalog.surroundingsOf("eu-west");
  assert.equal([storageClass, ingressClass, ingressNamespace], ["fast", "traefik", "ingress-nginx"]);
  assert.equal(catalog.surroundingsOf("us-east"), blueprint.surroundings);
  assert.equal(catalog.surroundingsOf(null), blueprint.surroundings);
});

some("returns brands, seeds and prices, or null", () => {
  assert.equal(catalog.themeOf("ocean"), { color: "#00446a" });
  assert.is(catalog.themeOf("plain"), null);
  assert.equal(catalog.coursesOf("demo"), [{ shortname: "DEMO", title: "A demonstration" }]);
  assert.is(catalog.coursesOf("later"), null);
  assert.equal(catalog.priceOf("small"), { currency: "EUR", monthly: 1900 });
  assert.is(catalog.priceOf("large"), null);
});

some("shows names, titles and prices, but no cluster settings", () => {
  assert.equal(catalog.view, v.parse(Offered, catalog.view));
  assert.equal(catalog.view.regions, [{ name: "eu-west", title: "Europe (west)" }, { name: "us-east", title: null }]);
  assert.equal(catalog.view.open, ["contentModes"]);
  assert.not.match(JSON.stringify(catalog.view), /prod-eu|traefik/);
});

some("accepts JSON and an empty file", () => {
  assert.equal(loadCatalog('{"tiers": ["a"]}', blueprint).choices("tier"), ["a"]);
  assert.is(loadCatalog("", blueprint).choices("tier"), null);
});

some("accepts its own versions and sizes", () => {
  const { resources: _, ...offer } = { resources: 0, name: "tiny" };
  const small = blueprint.sizes.sizes["small"]!;
  const own = loadCatalog(
    JSON.stringify({
      versions: [{
        name: "5.3.0",
        release: { image: "registry.example.org/moodle:5.3.0", fpmDirectory: "/etc/php84/php-fpm.d" },
      }],
      sizes: [{ ...offer, resources: { ...small, workers: 4 } }],
    }),
    blueprint,
  );
  assert.equal(own.defaults, { size: "tiny", version: "5.3.0" });
  assert.is(own.imagesOf("5.3.0").moodle, "registry.example.org/moodle:5.3.0");
  assert.is(own.resourcesOf("tiny").workers, 4);
  assert.throws(() => own.imagesOf("4.5.12"), /no version 4\.5\.12/);
  assert.throws(() => own.resourcesOf("small"), /no size small/);
});

const small = JSON.stringify({
  ...blueprint.sizes.sizes["small"]!,
  quota: { ...blueprint.sizes.sizes["small"]!.quota, storage: "20Gi" },
});
const REFUSALS: readonly (readonly [text: string, message: RegExp])[] = [
  ["regions: [", /CATALOG: /],
  ["- a\n- b", /CATALOG: must be a map of sections/],
  ["region: [a]", /CATALOG: region is an unknown field/],
  ["tiers: gold", /CATALOG: tiers must be a list/],
  ["tiers: [{ title: x }]", /CATALOG: tiers\.0\.name is missing/],
  ["tiers: [a, a]", /CATALOG: tiers has a name twice/],
  ["regions: [{ name: a, context: b, clutser: {} }]", /CATALOG: regions\.0\.clutser is an unknown field/],
  ["regions: [{ name: a, cluster: { tls: never } }]", /CATALOG: regions\.0\.cluster\.tls must be acme or elsewhere/],
  ["brands: [{ name: a, color: red }]", /CATALOG: brands\.0\.color must be a colour/],
  [
    "seeds: [{ name: a, courses: [{ shortname: x, backup: { url: 'http://x.org/', sha256: abc } }] }]",
    /backup\.url must be an https URL[^]*backup\.sha256 must be a SHA-256/,
  ],
  ["versions: [4.5]", /CATALOG: versions\.0 must be text; put it in quotes/],
  ["versions: [latest]", /CATALOG: versions\.0\.name must be a version/],
  ["versions: []", /CATALOG: versions must not be empty/],
  ["sizes: []", /CATALOG: sizes must not be empty/],
  ["sizes: [huge]", /CATALOG: sizes: huge needs resources: the blueprint only has small, medium, large/],
  ["sizes: [constructor]", /CATALOG: sizes: constructor needs resources/],
  [
    "sizes: [{ name: small, price: { currency: euro, monthly: 1.5 } }]",
    /currency must be a currency[^]*monthly must be whole minor units/,
  ],
  [
    `sizes: [{ name: tiny, resources: ${small} }]`,
    /CATALOG: sizes: tiny: the quota for requests\.storage is 20Gi, but 30Gi is needed/,
  ],
  ["defaultSize: huge", /CATALOG: defaultSize must be one of small, medium, large/],
];
for (const [text, message] of REFUSALS) {
  some(`reports the field of the error: ${text.slice(0, 60)}`, () => {
    assert.throws(() => loadCatalog(text, blueprint), (error: Error) => {
      assert.is(error.name, "ConfigError");
      assert.match(error.message, message);
      return true;
    });
  });
}

none.run();
some.run();
