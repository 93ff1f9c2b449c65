import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import * as domains from "#lib/domains/spokes/domains.ts";
import { isDomainInUse } from "#lib/domains/spokes/names.ts";
import { NewSpoke } from "#lib/domains/spokes/views.ts";
import { type DomainScene, finishOperations, openDomainScene } from "#test/lib/domains/spokes/domain-scene.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const place = { rootDomain: "spokes.example.org", publicHost: "hubs.example.org" };
const test = suite("listDefaultDomains");

test("are the slug, then slug and hub, each one label below the root domain", () => {
  assert.equal(domains.listDefaultDomains("biology", "north", place), [
    "biology.spokes.example.org",
    "biology-north.spokes.example.org",
  ]);
});

test("exclude the service's own domains", () => {
  const own = { ...place, rootDomain: "example.org" };
  assert.equal(domains.listDefaultDomains("hubs", "north", own), ["hubs-north.example.org"]);
});

test("exclude labels that are too long", () => {
  const long = "a".repeat(40);
  assert.equal(domains.listDefaultDomains(long, "b".repeat(40), place), [`${long}.spokes.example.org`]);
});

test("exclude parents of the service's host", () => {
  const inner = { rootDomain: "example.org", publicHost: "hubs.inner.example.org" };
  assert.equal(domains.listDefaultDomains("inner", "north", inner), ["inner-north.example.org"]);
});

const reserved = suite("requireUnreservedDomain");
const BELONGS = /belongs to the service$/,
  DEEP = /a name under spokes\.example\.org must have one label, and .* has [23]$/;
const APART = { rootDomain: "sites.example.net", publicHost: "hubs.example.org" };
const SAME = { rootDomain: "example.org", publicHost: "example.org" };
const LOCAL = { rootDomain: "spokes.localhost", publicHost: "localhost" };

const RULES: readonly [domain: string, of: typeof place, refused: RegExp | null][] = [
  ["one.spokes.example.org", place, null],
  ["spokes.example.org", place, BELONGS],
  ["example.org", place, BELONGS],
  ["login.one.spokes.example.org", place, DEEP],
  ["a.b.one.spokes.example.org", place, DEEP],
  ["hubs.example.org", place, BELONGS],
  ["login.hubs.example.org", place, BELONGS],
  ["a.b.hubs.example.org", place, BELONGS],
  ["school.example.org", place, null],
  ["otherhubs.example.org", place, null],
  ["otherspokes.example.org", place, null],
  ["school.example", place, null],
  ["example.org.school.example", place, null],
  ["example.org", APART, BELONGS],
  ["example.net", APART, BELONGS],
  ["hubs.sites.example.net", APART, null],
  ["school.example.org", SAME, null],
  ["a.school.example.org", SAME, /one label/],
  ["inner.example.org", { rootDomain: "example.org", publicHost: "hubs.inner.example.org" }, BELONGS],
  ["one.spokes.localhost", LOCAL, null],
  ["one.localhost", LOCAL, BELONGS],
];

reserved("rejects the service's domains, their parents and subdomains, and several labels below the root", () => {
  for (const [domain, of, refused] of RULES) {
    if (refused) {
      assert.throws(() => domains.requireUnreservedDomain(domain, of), refused, `${domain} of ${of.rootDomain}`);
    } else domains.requireUnreservedDomain(domain, of);
  }
});

const above = suite("listParentDomains");

above("are all parents with two or more labels, and empty below the root domain", () => {
  assert.equal(domains.listParentDomains("a.b.school.example", place), ["b.school.example", "school.example"]);
  assert.equal(domains.listParentDomains("school.example", place), []);
  assert.equal(domains.listParentDomains("one.spokes.example.org", place), []);
});

const requested = suite("domainsFor");
const config = { rootDomain: "Spokes.Example.org", publicUrl: new URL("https://Hubs.example.org.") };
const LONG = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;

/** Returns the resulting domain, or why it is refused. */
function take(domain: unknown): string {
  const parsed = v.safeParse(NewSpoke, { slug: "biology", domain });
  if (!parsed.success) return `schema: ${parsed.issues[0].message}`;
  try {
    return domains.listCandidateDomains(config, "biology", "north", parsed.output.domain).join();
  } catch (error) {
    if (error instanceof Fault) return `${error.kind} ${error.code}: ${error.message}`;
    throw error;
  }
}

requested("lower-cases a domain of any length that DNS allows", () => {
  assert.is(take("Moodle.School.Example.ORG"), "moodle.school.example.org");
  assert.is(LONG.length, 253);
  for (
    const domain of [LONG, `${"a".repeat(63)}.example`, "a.b", "deep.below.school.example.org", "4ever.example.org"]
  ) {
    assert.is(take(domain), domain);
  }
});

requested("accepts letters of other scripts as A-labels", () => {
  for (const domain of ["xn--bcher-kva.example", "schule.xn--p1ai", "ab--cd.example"]) assert.is(take(domain), domain);
  assert.is(take("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
  for (const domain of ["xn--a.example", "xn--zzzzzz999.example", "a.xn--abc"]) {
    assert.match(take(domain), /^invalid domain_invalid: .*xn--\w+ is not valid Punycode/, domain);
  }
});

requested("rejects an invalid host name", () => {
  const bad = [
    ...["*.example.org", "bücher.example", "a_b.example", "localhost", "school.example.org.", ".example", "a..b"],
    ...["-a.example", "a-.example", `${"a".repeat(64)}.example`, `a${LONG}`, "a b.example", "a.example/x"],
    ...["a.example:80", "192.0.2.1", "[::1]", "https://a.example", "a.example\n", "", 5],
  ];
  for (const domain of bad) assert.match(take(domain), /^schema: must be a host name /, String(domain));
});

requested("rejects a name that browsers read as an IP address", () => {
  for (const domain of ["school.123", "0x7f.1", "1.2.3.0x4", "a.0x"]) {
    assert.match(take(domain), /^invalid domain_invalid: .*treat it as an IP address/, domain);
  }
});

requested(
  "rejects the service's own domain in any case, with or without a trailing dot",
  () => {
    for (const domain of ["spokes.example.org", "SPOKES.example.org", "hubs.example.org"]) {
      assert.match(take(domain), /^invalid domain_reserved/, domain);
    }
  },
);

const shared = suite<{ stage: DomainScene }>("domains of spokes");
shared.before(async (context) => {
  context.stage = await openDomainScene("regions: [{ name: own, cluster: { tls: elsewhere } }]");
});
shared.after(({ stage }) => stage.close());

async function placeSpoke(stage: DomainScene, hub: string, slug: string, domain: string, more: object = {}) {
  const { app, operator } = stage;
  return await createSpoke(app, operator, await stage.hub(hub), { slug, domain, ...more } as NewSpoke, null);
}

shared(
  "belongs to one live spoke of any hub, and is free after its removal",
  async ({ stage }) => {
    const domain = "moodle.example.net";
    const first = await placeSpoke(stage, "one", "a", domain);
    for (const state of ["active", "failed", "suspended", "removing"] as const) {
      await finishOperations(stage.db, first.id, state);
      const error = await rejection(placeSpoke(stage, `two-${state}`, "b", domain));
      assert.is(error.code, "domain_taken", state);
    }
    await finishOperations(stage.db, first.id, "removed");
    assert.is((await placeSpoke(stage, "three", "c", domain)).domain, domain);
  },
);

shared("is in the spoke's inputs, URL and certificate", async ({ stage }) => {
  const domain = "schule.xn--p1ai";
  const made = await placeSpoke(stage, "tls", "a", domain, { region: "own" });
  assert.is(made.url, `https://${domain}`);
  const [{ blueprintInputs }] = await selectRows(stage.db, "spokes", { id: made.id });
  const inputs = { ...blueprintInputs, issuer: "wheelwright-nginx" };
  const [ingress] = stage.app.blueprint.spokeObjects(inputs, "ingress");
  assert.equal(ingress!["spec"].rules.map(({ host }: { host: string }) => host), [domain]);
  assert.equal(ingress!["spec"].tls, [{ hosts: [domain], secretName: "moodle-tls" }]);
  const [settings] = stage.app.blueprint.spokeObjects(inputs, "secrets");
  assert.is(settings!["data"].SITE_URL, `https://${domain}`);
});

shared("cannot be above or below another spoke's domain", async ({ stage }) => {
  const names = ["wiki.school.example", "school.example", "a.b.wiki.school.example"];
  for (const [i, first] of names.entries()) {
    const { id } = await placeSpoke(stage, `first-${i}`, "a", first);
    for (const [j, second] of names.entries()) {
      const error = await rejection(placeSpoke(stage, `second-${i}-${j}`, "b", second));
      assert.is(error.code, "domain_taken", `${second} next to ${first}`);
      const reason = "is in use, or is a parent or subdomain of a domain in use; choose another domain";
      const message = `The domain ${second} ${reason}`;
      assert.is(error.message, message, "reveals no other spoke");
    }
    await finishOperations(stage.db, id, "removed");
  }
  const siblings = ["wiki.school.example", "sister.school.example", "notwiki.school.example", "wikischool.example"];
  for (const [i, domain] of siblings.entries()) await placeSpoke(stage, `beside-${i}`, "a", domain);
});

shared(
  "stays with its spoke, and other spokes below the root domain get theirs",
  async ({ stage }) => {
    const { app, operator } = stage, home = await stage.hub("earlier");
    const rename = async (slug: string, domain: string) => {
      const { id } = await stage.spoke(home, { slug });
      await updateRows(stage.db, "spokes", { domain }, { id });
    };
    await rename("apex", "example.org");
    await rename("deep", "login.alpha.spokes.example.org");
    const create = (slug: string) => createSpoke(app, operator, home, { slug } as NewSpoke, null);
    assert.is((await create("beta")).domain, "beta.spokes.example.org");
    assert.is((await create("alpha")).domain, "alpha-earlier.spokes.example.org");
  },
);

shared("is given to one of many parallel requests for nested domains", async ({ stage }) => {
  const hubs = await Promise.all(["ra", "rb", "rc", "rd", "re", "rf"].map((slug) => stage.hub(slug)));
  for (let round = 0; round < 5; round++) {
    const root = `r${round}.example.com`;
    const names = [root, `a.${root}`, `b.a.${root}`, `c.b.a.${root}`, `d.c.b.a.${root}`, `e.d.c.b.a.${root}`];
    const made = await Promise.allSettled(
      names.map((domain, i) =>
        createSpoke(stage.app, stage.operator, hubs[i]!, { slug: `r${round}`, domain } as NewSpoke, null)
      ),
    );
    assert.is(made.filter(({ status }) => status === "fulfilled").length, 1);
    for (const one of made) if (one.status === "rejected") assert.is(one.reason.code, "domain_taken");
  }
});

shared("is found by indexes", async ({ stage }) => {
  const explainer = openQueryExplainer(stage.db.url, { enable_seqscan: "off" });
  const [plan] = await explainer.explain((rows) => isDomainInUse(rows, "a.school.example", ["school.example"]));
  await explainer.close();
  const former = ["former_domains_pkey", "former_domains_reversed"];
  const own = ["live", "requested", "reversed", "reversed_requested"].map((name) => `spokes_${name}_domain`);
  assert.equal([...plan!.indexes].sort(), [...former, ...own]);
});

test.run();
reserved.run();
above.run();
requested.run();
shared.run();
