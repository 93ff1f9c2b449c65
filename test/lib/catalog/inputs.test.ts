import { suite } from "uvu";
import * as assert from "uvu/assert";
import { applyMailSettings, createHubInputs, createSpokeInputs, formatSpokeUrl } from "#lib/catalog/inputs.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { spokeOf } from "#test/lib/catalog/fixtures.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { RELEASE } from "#test/support/release.ts";

const blueprint = openBlueprint();
const catalog = loadCatalog(undefined, blueprint);
const request = spokeOf(catalog);
const relay = {
  host: "relay.example.org",
  port: 587,
  user: "site-${namespace}",
  secret: "a secret of 32 characters or more",
  from: "Campus <noreply@example.org>",
};
const plain = { acmeEmail: null, relay: null, releaseId: RELEASE };

const test = suite("createSpokeInputs");

test("resolves version and size, and contains no secret", () => {
  const inputs = createSpokeInputs(catalog, { ...plain, acmeEmail: "ops@example.org", relay }, request);
  assert.is(inputs.images.moodle, "erseco/alpine-moodle:v4.5.12");
  assert.equal(inputs.resources, blueprint.sizes.sizes["small"]);
  assert.not.match(JSON.stringify(inputs), /a secret of/);
});

test("uses https with an ACME email address, or if TLS ends elsewhere", () => {
  const acme = createSpokeInputs(catalog, { ...plain, acmeEmail: "ops@example.org" }, request);
  assert.equal([acme.https, acme.issuer, formatSpokeUrl(acme)], [
    true,
    `wheelwright-${RELEASE}-nginx`,
    "https://biology.spokes.example.org",
  ]);
  const none = createSpokeInputs(catalog, plain, request);
  assert.equal([none.https, none.issuer, formatSpokeUrl(none)], [false, null, "http://biology.spokes.example.org"]);
  const elsewhere = loadCatalog("regions: [{ name: a, cluster: { tls: elsewhere } }]", blueprint);
  for (const acmeEmail of [null, "ops@example.org"]) {
    const inputs = createSpokeInputs(elsewhere, { ...plain, acmeEmail }, { ...request, region: "a" });
    assert.equal([inputs.https, inputs.issuer], [true, null]);
  }
});

test("contains the port of simulated sites for http", () => {
  const simulated = { ...plain, sitePort: 3080 };
  assert.is(formatSpokeUrl(createSpokeInputs(catalog, simulated, request)), "http://biology.spokes.example.org:3080");
  const https = createSpokeInputs(catalog, { ...simulated, acmeEmail: "ops@example.org" }, request);
  assert.is(formatSpokeUrl(https), "https://biology.spokes.example.org");
});

test("names the issuer after the region's ingress class", () => {
  const traefik = loadCatalog("regions: [{ name: a, cluster: { ingressClass: traefik } }]", blueprint);
  const config = { ...plain, acmeEmail: "ops@example.org" };
  assert.is(createSpokeInputs(traefik, config, { ...request, region: "a" }).issuer, `wheelwright-${RELEASE}-traefik`);
  const hub = { federationId: request.federationId, namespace: "hub-science-x9n3m8k5r2dg", slug: "science" };
  assert.is(createHubInputs(traefik, config, { ...hub, region: "a" }).issuer, `wheelwright-${RELEASE}-traefik`);
  assert.equal(createHubInputs(traefik, plain, { ...hub, region: null }).acmeEmail, null);
});

test("sends mail only through the relay, with a separate account for each spoke", () => {
  const mailOf = (config: Partial<typeof relay> | null, namespace = request.namespace) =>
    createSpokeInputs(catalog, { ...plain, relay: config && { ...relay, ...config } }, { ...request, namespace }).mail;
  const account = { host: "relay.example.org", port: 587, from: "noreply@example.org" };
  assert.equal(mailOf({}), { ...account, user: "site-spoke-biology-9n3m8k5r2dh" });
  assert.equal(mailOf({}, "spoke-biology-2"), { ...account, user: "site-spoke-biology-2" });
  const open = { ...relay, user: null, secret: null };
  assert.is(createSpokeInputs(catalog, { ...plain, relay: open }, request).mail?.user, null);
  assert.is(mailOf(null), null);
});

test("uses a sender at the site's host if the relay has no usable sender", () => {
  for (const from of [null, "o'brien@example.org"]) {
    const { mail } = createSpokeInputs(catalog, { ...plain, relay: { ...relay, from } }, request);
    assert.is(mail?.from, "noreply@biology.spokes.example.org");
  }
});

test("replaces stored mail settings with the current configuration", () => {
  const row = createSpokeInputs(catalog, { ...plain, relay }, request);
  assert.is(applyMailSettings(plain, row).mail, null);
  assert.is(applyMailSettings({ relay: { ...relay, host: "other.example.org" } }, row).mail?.host, "other.example.org");
});

test("contains the catalog's brand and seed", () => {
  const catalogValues = loadCatalog(
    "brands: [{ name: ocean, color: '#00446a' }]\nseeds: [{ name: demo, courses: [{ shortname: D }] }]",
    blueprint,
  );
  const inputs = createSpokeInputs(catalogValues, plain, { ...request, brand: "ocean", seed: "demo" });
  assert.equal(inputs.brand, { name: "ocean", theme: { color: "#00446a" } });
  assert.equal(inputs.seed, { name: "demo", courses: [{ shortname: "D" }] });
  const unknown = createSpokeInputs(catalog, plain, { ...request, brand: "any", seed: "any" });
  assert.equal([unknown.brand?.theme, unknown.seed?.courses], [null, null]);
});

test.run();
