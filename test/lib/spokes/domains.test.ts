import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/errors.ts";
import { createSpoke } from "#lib/spokes/create.ts";
import { defaultDomains, domainsFor, refuseReserved } from "#lib/spokes/domains.ts";
import { NewSpoke } from "#lib/spokes/views.ts";
import { openStage, settle, type Stage } from "#test/lib/spokes/stage.ts";
import { rejection } from "#test/support/until.ts";

const place = { rootDomain: "spokes.example.org", publicHost: "hubs.example.org" };
const test = suite("defaultDomains");

test("are the slug's, then the slug's and the hub's, one label below the root", () => {
  assert.equal(defaultDomains("biology", "north", place), [
    "biology.spokes.example.org",
    "biology-north.spokes.example.org",
  ]);
});

test("never are the service's own", () => {
  assert.equal(defaultDomains("hubs", "north", { ...place, rootDomain: "example.org" }), ["hubs-north.example.org"]);
});

test("leave out what is too long for a label", () => {
  const long = "a".repeat(40);
  assert.equal(defaultDomains(long, "b".repeat(40), place), [`${long}.spokes.example.org`]);
});

test("are refused as a given domain when they are the root or the service's host", () => {
  for (const domain of ["spokes.example.org", "hubs.example.org"]) {
    assert.throws(() => refuseReserved(domain, place), /belongs to the service/);
  }
  refuseReserved("school.example.org", place);
});

const given = suite("a given domain");
const config = { rootDomain: "Spokes.Example.org", publicUrl: new URL("https://Hubs.example.org") };
const LONG = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;

/** What becomes of it between the request and the row: the domain, or why it is refused. */
function take(domain: unknown): string {
  const parsed = v.safeParse(NewSpoke, { slug: "biology", domain });
  if (!parsed.success) return `schema: ${parsed.issues[0].message}`;
  try {
    return domainsFor(config, "biology", "north", parsed.output.domain).join();
  } catch (error) {
    if (error instanceof Fault) return `${error.kind} ${error.code}: ${error.message}`;
    throw error;
  }
}

given("is lower-cased, and taken at any length that DNS allows", () => {
  assert.is(take("Moodle.School.Example.ORG"), "moodle.school.example.org");
  assert.is(LONG.length, 253);
  for (
    const domain of [LONG, `${"a".repeat(63)}.example`, "a.b", "deep.below.spokes.example.org", "4ever.example.org"]
  ) {
    assert.is(take(domain), domain);
  }
});

given("may have letters of other scripts, written as A-labels", () => {
  for (const domain of ["xn--bcher-kva.example", "schule.xn--p1ai", "ab--cd.example"]) assert.is(take(domain), domain);
  assert.is(take("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
  for (const domain of ["xn--a.example", "xn--zzzzzz999.example", "a.xn--abc"]) {
    assert.match(take(domain), /^invalid domain_invalid: .*xn--\w+ stands for no letters/, domain);
  }
});

given("is refused when it is no host name", () => {
  const bad = [
    ...["*.example.org", "bücher.example", "a_b.example", "localhost", "school.example.org.", ".example", "a..b"],
    ...[
      "-a.example",
      "a-.example",
      `${"a".repeat(64)}.example`,
      `a${LONG}`,
      "a b.example",
      "a.example/x",
      "a.example:80",
    ],
    ...["192.0.2.1", "[::1]", "https://a.example", "a.example\n", "", 5],
  ];
  for (const domain of bad) assert.match(take(domain), /^schema: must be a host name such as/, String(domain));
});

given("is refused when a browser would read an address from it", () => {
  for (const domain of ["school.123", "0x7f.1", "1.2.3.0x4", "a.0x"]) {
    assert.match(take(domain), /^invalid domain_invalid: .*take for an address/, domain);
  }
});

given("is refused when it is the service's own, in whatever letters that is configured", () => {
  for (const domain of ["spokes.example.org", "SPOKES.example.org", "hubs.example.org"]) {
    assert.match(take(domain), /^invalid domain_reserved/, domain);
  }
});

const shared = suite<{ stage: Stage }>("a domain");
shared.before(async (context) => {
  context.stage = await openStage("regions: [{ name: own, cluster: { tls: elsewhere } }]");
});
shared.after(({ stage }) => stage.close());

async function placeSpoke(stage: Stage, hub: string, slug: string, domain: string, more: object = {}) {
  const { app, operator } = stage;
  return await createSpoke(app, operator, await stage.hub(hub), { slug, domain, ...more } as NewSpoke, null);
}

shared(
  "is one live spoke's alone, in whatever hub, and free once that one is removed, not before",
  async ({ stage }) => {
    const domain = "moodle.example.net";
    const first = await placeSpoke(stage, "one", "a", domain);
    for (const state of ["active", "failed", "suspended", "removing"] as const) {
      await settle(stage.db, first.id, state);
      const error = await rejection(placeSpoke(stage, `two-${state}`, "b", domain));
      assert.is(error.code, "domain_taken", state);
    }
    await settle(stage.db, first.id, "removed");
    assert.is((await placeSpoke(stage, "three", "c", domain)).domain, domain);
  },
);

shared("reaches the spoke's inputs, its address and its certificate", async ({ stage }) => {
  const domain = "schule.xn--p1ai";
  const made = await placeSpoke(stage, "tls", "a", domain, { region: "own" });
  assert.is(made.url, `https://${domain}`);
  const [row] = await stage.db.sql("select blueprint_inputs from spokes where id = $1", [made.id]);
  const inputs = { ...row.blueprint_inputs, issuer: "wheelwright-nginx" };
  const [ingress] = stage.app.blueprint.spokeObjects(inputs, "ingress");
  assert.equal(ingress!["spec"].rules.map(({ host }: { host: string }) => host), [domain]);
  assert.equal(ingress!["spec"].tls, [{ hosts: [domain], secretName: "moodle-tls" }]);
  const [settings] = stage.app.blueprint.spokeObjects(inputs, "secrets");
  assert.is(settings!["data"].SITE_URL, `https://${domain}`);
});

test.run();
given.run();
shared.run();
