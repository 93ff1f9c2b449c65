/** Tests that an admin of one hub cannot claim domain names of other hubs, of the service or of strangers, on the real
 * server. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Bench, openBench } from "#test/support/bench/bench.ts";
import { type ClientResponse, type TestClient, withToken } from "#test/support/client.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { addHubAdmin, createTestToken, createTestUser } from "#test/support/users.ts";
import { until } from "#test/support/until.ts";

interface Tenant {
  readonly hub: string;
  readonly client: TestClient;
}

interface Context {
  names: NameServer;
  bench: Bench;
  attacker: Tenant;
  victim: Tenant;
  /** Values that the attacker must not learn. */
  secrets: string[];
}

const VALUE = /wheelwright=\w+/;

const test = suite<Context>("requests for domains of other hubs");
test.before(async (context) => {
  const names = context.names = await openNameServer();
  const env = { PUBLIC_URL: "https://hubs.example.org", DNS_SERVERS: names.address };
  const bench = context.bench = await openBench({ replicas: 1, delayMs: 0, env });
  const tenant = async (slug: string): Promise<Tenant> => {
    const hub = await bench.hub(slug), person = await createTestUser(bench.db, slug);
    await addHubAdmin(bench.db, person, hub);
    const { plaintext } = await createTestToken(bench.db, person, "cli");
    return { hub, client: withToken(bench.replicas[0]!.url, plaintext) };
  };
  context.attacker = await tenant("grabbers");
  const victim = context.victim = await tenant("quiet-hub");
  const plain = await claim(victim, undefined, "one-alpha");
  names.setAnswer("_wheelwright.moodle.school.example", [[await valueFor(victim, "moodle.school.example")]]);
  const own = await claim(victim, "moodle.school.example", "hidden-slug");
  assert.equal([plain.status, own.status], [201, 201]);
  context.secrets = ["quiet-hub", "hidden-slug", victim.hub, plain.body.id, own.body.id, own.body.namespace];
});
test.after(async ({ names, bench }) => {
  await bench?.close();
  await names?.close();
});

let number = 0; // makes each slug unique, so that no request fails because of its slug

function claim({ hub, client }: Tenant, domain?: string, slug = `s${number++}`, query = ""): Promise<ClientResponse> {
  return client.send("POST", `/api/federations/${hub}/spokes${query}`, { slug, size: "small", domain: domain ?? null });
}

/** Returns the verification value that the service gives this hub. */
async function valueFor(tenant: Tenant, domain: string): Promise<string> {
  return VALUE.exec((await claim(tenant, domain)).body.message)![0];
}

async function refused({ attacker, secrets, bench }: Context, domain: string, status: number, message: RegExp) {
  for (const query of ["?dryRun=true", ""]) {
    const answer = await claim(attacker, domain, undefined, query), text = JSON.stringify(answer.body);
    assert.is(answer.status, status, `${domain}${query}: ${text}`);
    assert.match(answer.body.message, message, domain);
    for (const secret of secrets) assert.not.match(text, secret);
  }
  const rows = await bench.db.sql("select id from spokes where domain = $1 and federation_id = $2", [
    domain.toLowerCase(),
    attacker.hub,
  ]);
  assert.equal(rows, [], domain);
}

test("rejects a domain below another site, and the service's own domains", async (context) => {
  const refusals: [domain: string, status: number, message: RegExp][] = [
    ["login.one-alpha.spokes.example.org", 400, /one label, and .* has 2$/],
    ["LOGIN.One-Alpha.spokes.example.org", 400, /one label, and .* has 2$/],
    ["a.b.spokes.example.org", 400, /one label, and .* has 2$/],
    ["one-alpha.spokes.example.org", 409, /is in use, or is a parent or subdomain of a domain in use/],
    ["spokes.example.org", 400, /belongs to the service/],
    ["example.org", 400, /belongs to the service/],
    ["hubs.example.org", 400, /belongs to the service/],
    ["login.hubs.example.org", 400, /belongs to the service/],
    ["a.b.hubs.example.org", 400, /belongs to the service/],
    ["one-alpha.spokes.example.org.", 400, /must be a host name/],
    ["192.0.2.1", 400, /must be a host name/],
    ["localhost", 400, /must be a host name/],
  ];
  for (const [domain, status, message] of refusals) await refused(context, domain, status, message);
});

test("rejects an external domain without a verification record, or with that of another hub", async (context) => {
  const { names, victim } = context;
  await refused(context, "grafana.example.org", 409, /set the TXT record _wheelwright\.grafana\.example\.org to/);
  const stolen = await valueFor(victim, "other.school.example");
  names.setAnswer("_wheelwright.other.school.example", [[stolen]]);
  await refused(context, "other.school.example", 409, /set the TXT record _wheelwright\.other\.school\.example to/);
  names.setAnswer(
    "_wheelwright.many.school.example",
    Array.from({ length: 200 }, (_, i) => [`${i}`.repeat(80), stolen]),
  );
  await refused(context, "many.school.example", 409, /set the TXT record/);
});

test("rejects a verified domain that conflicts with another site, without naming the other site", async (context) => {
  const { names, attacker } = context;
  const value = await valueFor(attacker, "any.example");
  for (const domain of ["school.example", "login.moodle.school.example", "moodle.school.example"]) {
    names.setAnswer(`_wheelwright.${domain}`, [[value]]);
    await refused(context, domain, 409, /is in use, or is a parent or subdomain of a domain in use; choose another/);
  }
});

test("accepts a domain with the hub's own verification record, but not parent and child at the same time", async ({ names, attacker, bench }) => {
  const value = await valueFor(attacker, "own.example"), domains = ["own.example", "www.own.example"];
  for (const domain of domains) names.setAnswer(`_wheelwright.${domain}`, [["v=spf1 -all"], [value]]);
  const answers = await Promise.all(domains.map((domain) => claim(attacker, domain)));
  assert.equal(answers.map(({ status }) => status).sort(), [201, 409]);
  const rows = await bench.db.sql("select domain from spokes where domain like '%own.example'");
  assert.equal(rows.map(({ domain }) => domain), [answers.find(({ status }) => status === 201)!.body.domain]);
});

test("does not delay other requests when name servers never respond", async ({ names, attacker, victim }) => {
  const domains = Array.from({ length: 30 }, (_, i) => `mute-${i}.example.net`);
  for (const domain of domains) names.setAnswer(`_wheelwright.${domain}`, "silence");
  const hanging = domains.map((domain) => claim(attacker, domain));
  await until(() => domains.every((domain) => names.asked.includes(`_wheelwright.${domain}`)));
  const others = await Promise.all(Array.from({ length: 5 }, () => claim(victim)));
  assert.equal(others.map(({ status }) => status), [201, 201, 201, 201, 201]);
  for (const { status, body } of await Promise.all(hanging)) {
    assert.is(status, 503);
    assert.match(body.message, "The DNS servers did not answer");
  }
});

test.run();
