/** Tests the configuration: defaults, one message for all problems, values from files, and no secrets in messages. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildPublicUrl } from "#lib/base/config.ts";
import { shouldUseColours } from "#lib/base/environment.ts";
import { ENOUGH, problemsOf, read } from "./config-scene.ts";
import { RELEASE } from "#test/support/release.ts";

const test = suite("readConfig");

test("requires the database, public URL, domain and cluster for serve, in one message", () => {
  const named = problemsOf({}).map((problem) => problem.split(" ")[0]);
  assert.equal(named, ["DATABASE_URL", "PUBLIC_URL", "ROOT_DOMAIN", "KUBECONFIG"]);
});

test("reports all invalid variables in one message, without their values", () => {
  const wrong = {
    ...ENOUGH,
    PORT: "hunter2",
    MAX_IN_FLIGHT: "-1",
    SIGNUP: "maybe",
    SHUTDOWN_NOTICE_MS: "5s",
    TRUSTED_PROXIES: "10.0.0.0/33",
  };
  const problems = problemsOf(wrong);
  assert.equal(problems.map((problem) => problem.split(" ")[0]), [
    "PORT",
    "TRUSTED_PROXIES",
    "SIGNUP",
    "MAX_IN_FLIGHT",
    "SHUTDOWN_NOTICE_MS",
  ]);
  assert.not.match(problems.join(), /hunter2|maybe/);
});

test("has the documented defaults", () => {
  const config = read(ENOUGH);
  assert.is(config.host, "0.0.0.0");
  assert.is(config.port, 3000);
  assert.is(config.publicUrl.href, "https://hubs.example.org/");
  assert.equal(config.scheduler, { on: true, lanes: 64 });
  assert.is(config.maxStreams, 10_000);
  assert.equal([config.maxInFlight, config.requestTimeoutMs, config.bodyLimitBytes], [512, 30_000, 262_144]);
  assert.is(config.shutdownGraceMs, 25_000);
  assert.is(config.shutdownNoticeMs, 5000);
  assert.equal([config.portal, config.signup, config.log.format], [false, false, "json"]);
});

test("requires the webhook secret with a Stripe key, and refuses live keys in dev", () => {
  const stripe = { STRIPE_SECRET_KEY: "sk_live_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
  assert.match(problemsOf({ ...ENOUGH, STRIPE_SECRET_KEY: "sk_live_1" }).join(), /^STRIPE_WEBHOOK_SECRET is missing/);
  assert.equal(read({ ...ENOUGH, ...stripe }).stripe, {
    secretKey: "sk_live_1",
    webhookSecret: "whsec_1",
    apiBase: null,
  });
  assert.match(problemsOf(stripe, "dev").join(), /^STRIPE_SECRET_KEY is a live key/);
  assert.equal(problemsOf({ ...stripe, STRIPE_SECRET_KEY: "sk_test_1" }, "dev"), []);
});

test("parses name servers with and without ports, and uses the system's by default", () => {
  assert.equal(read(ENOUGH).dnsServers, []);
  const input = "192.0.2.1, 192.0.2.1:5353,2001:db8::1,[2001:db8::1]:53";
  assert.equal(read({ ...ENOUGH, DNS_SERVERS: input }).dnsServers, input.split(/, ?/));
  for (const wrong of ["dns.example.org", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:", "[2001:db8::1]", "1.2.3"]) {
    assert.match(problemsOf({ ...ENOUGH, DNS_SERVERS: wrong }).join(), /^DNS_SERVERS must be addresses/, wrong);
  }
});

test("needs no variables in dev, and ignores an exported kubeconfig and database there", () => {
  const config = read({ KUBECONFIG: "/production", DATABASE_URL: ENOUGH.DATABASE_URL }, "dev");
  assert.is(config.kubeconfig, null);
  assert.is(config.database.url, "");
  assert.is(config.rootDomain, "spokes.localhost");
  assert.is(config.shutdownGraceMs, 5000);
  assert.is(config.shutdownNoticeMs, 0);
});

test("prefers KUBECONFIG to KUBECONFIG_HOST_PATH, which also works in dev", () => {
  assert.is(read({ ...ENOUGH, KUBECONFIG_HOST_PATH: "/host" }).kubeconfig, "/etc/kubeconfig");
  assert.is(read({ KUBECONFIG_HOST_PATH: "/host" }, "dev").kubeconfig, "/host");
});

test("accepts only valid ClusterRole names", () => {
  assert.is(read(ENOUGH).clusterRole, null);
  assert.is(read({ ...ENOUGH, CLUSTER_ROLE: "wheelwright-spoke" }).clusterRole, "wheelwright-spoke");
  assert.is(read(ENOUGH).releaseId, RELEASE);
  assert.is(read({ ...ENOUGH, RELEASE_ID: "north2" }).releaseId, "north2");
  for (const RELEASE_ID of ["a-b", "2a", "A", "a".repeat(17)]) {
    assert.match(problemsOf({ ...ENOUGH, RELEASE_ID }).join(), /^RELEASE_ID must be 1 to 16 lower-case letters/);
  }
  assert.match(problemsOf({ ...ENOUGH, CLUSTER_ROLE: "Not one" }).join(), /^CLUSTER_ROLE must be the name/);
});

test("uses a uniform delay in the simulated cluster, or measured delays times a factor", () => {
  const factor = (profile?: string) =>
    read(profile === undefined ? {} : { SIMULATOR_PROFILE: profile }, "dev").simulatorFactor;
  assert.equal([factor(), factor("measured"), factor("measured:0.05")], [null, 1, 0.05]);
  for (const wrong of ["fast", "measured:", "measured:-1", "measured:1e3"]) {
    assert.throws(() => factor(wrong), /SIMULATOR_PROFILE must be measured, or measured:0\.1/);
  }
});

test("requires a separate port for metrics, which are off by default", () => {
  assert.is(read(ENOUGH).metricsPort, null);
  assert.is(read({ ...ENOUGH, METRICS_PORT: "9464" }).metricsPort, 9464);
  for (const wrong of ["0", "65536", "on", "-1", "9464 "]) {
    assert.match(problemsOf({ ...ENOUGH, METRICS_PORT: wrong }).join(), /^METRICS_PORT must be a whole number/, wrong);
  }
  const same = /^METRICS_PORT is the same as PORT: set METRICS_PORT to a port/;
  assert.match(problemsOf({ ...ENOUGH, METRICS_PORT: "3000" }).join(), same);
  assert.match(problemsOf({ ...ENOUGH, METRICS_PORT: "08080", PORT: "8080" }).join(), same);
});

test("needs no kubeconfig inside a cluster", () => {
  const { KUBECONFIG: _, ...rest } = ENOUGH;
  assert.equal(problemsOf({ ...rest, KUBERNETES_SERVICE_HOST: "10.0.0.1" }), []);
});

test("percent-encodes reserved characters of a password in the database URL", () => {
  const { DATABASE_URL: _, ...rest } = ENOUGH;
  const { url } = read({ ...rest, POSTGRES_PASSWORD: "a/b@c:d#e" }).database;
  assert.is(decodeURIComponent(new URL(url).password), "a/b@c:d#e");
  assert.is(new URL(url).host, "postgres:5432");
});

test("reads a separate owner address if set, except in dev", () => {
  assert.is(read(ENOUGH).database.ownerUrl, null);
  const owner = { DATABASE_OWNER_URL: "postgres://owner:x@db.example/wheels" };
  assert.is(read({ ...ENOUGH, ...owner }).database.ownerUrl, owner.DATABASE_OWNER_URL);
  assert.is(read(owner, "dev").database.ownerUrl, null);
  const parts = read({ ...ENOUGH, POSTGRES_OWNER_PASSWORD: "a/b", POSTGRES_DB: "wheels" }).database.ownerUrl;
  assert.is(parts, "postgres://postgres:a%2Fb@postgres:5432/wheels");
  assert.match(problemsOf({ ...ENOUGH, DATABASE_OWNER_URL: "mysql://x" }).join(), /^DATABASE_OWNER_URL must be a URL/);
});

test("reads a value from the file in NAME_FILE, without its last newline", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-config-"));
  try {
    await writeFile(join(directory, "url"), ENOUGH.DATABASE_URL + "\n");
    const { DATABASE_URL: _, ...rest } = ENOUGH;
    assert.is(read({ ...rest, DATABASE_URL_FILE: join(directory, "url") }).database.url, ENOUGH.DATABASE_URL);
    const both = problemsOf({ ...ENOUGH, DATABASE_URL_FILE: join(directory, "url") });
    assert.match(both.join(), /DATABASE_URL and DATABASE_URL_FILE are both set/);
    const gone = problemsOf({ ...rest, DATABASE_URL_FILE: join(directory, "none") });
    assert.equal(gone, ["DATABASE_URL_FILE points to a file that cannot be read: no such file or directory"]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("treats an empty variable as absent", () => {
  assert.is(read({ ...ENOUGH, PORT: "", SMTP_HOST: "" }).port, 3000);
});

test("reports the missing variable of a pair", () => {
  assert.match(
    problemsOf({ ...ENOUGH, BOOTSTRAP_ADMIN_EMAIL: "a@b.example" }).join(),
    /^BOOTSTRAP_ADMIN_PASSWORD is missing/,
  );
  assert.match(problemsOf({ ...ENOUGH, SMTP_HOST: "mail.example" }).join(), /^SMTP_FROM is missing/);
});

test("requires a minimum length of the backup passphrase, which is optional", () => {
  assert.is(read({ BACKUP_PASSPHRASE: "correct horse" }, "any").backupPassphrase, "correct horse");
  assert.is(read({ BACKUP_PASSPHRASE: "" }, "any").backupPassphrase, null);
  assert.match(
    problemsOf({ ...ENOUGH, BACKUP_PASSPHRASE: "secret" }).join(),
    /^BACKUP_PASSPHRASE must have at least 12/,
  );
});

test("reads several keys for secrets, each the base64 of 32 bytes", () => {
  const first = Buffer.alloc(32, 1).toString("base64"), former = Buffer.alloc(32, 2).toString("base64");
  assert.equal(read(ENOUGH).secretsKeys, []);
  assert.equal(read({ ...ENOUGH, SECRETS_KEY: `${first}, ${former}` }).secretsKeys, [first, former]);
  for (const wrong of [Buffer.alloc(31), Buffer.alloc(33), Buffer.alloc(32, "hunter2")]) {
    const key = wrong.length === 32 ? wrong.toString("hex") : wrong.toString("base64");
    const problems = problemsOf({ ...ENOUGH, SECRETS_KEY: `${first},${key}` });
    assert.equal(problems, [
      "SECRETS_KEY must be the output of openssl rand -base64 32, or several of these separated by commas",
    ]);
  }
});

test("listens on localhost in dev and on all addresses in serve, unless HOST is set", () => {
  assert.equal([read(ENOUGH).host, read({}, "dev").host, read({ HOST: "::" }, "dev").host], [
    "0.0.0.0",
    "127.0.0.1",
    "::",
  ]);
});

test("uses colours on a terminal, or if a variable forces them", () => {
  const usesColours = (env: Record<string, string>, terminal = true) => shouldUseColours({ env, terminal });
  assert.equal(
    [usesColours({}), usesColours({}, false), usesColours({ TERM: "dumb" }), usesColours({ NO_COLOR: "1" })],
    [
      true,
      false,
      false,
      false,
    ],
  );
  assert.equal([
    usesColours({ FORCE_COLOR: "1" }, false),
    usesColours({ FORCE_COLOR: "0" }),
    usesColours({ NO_COLOR: "" }),
  ], [
    true,
    false,
    true,
  ]);
  assert.equal([usesColours({ CLICOLOR: "0" }), usesColours({ CLICOLOR_FORCE: "1" }, false)], [false, true]);
});

test("explains why serve requires PUBLIC_URL, with an example", () => {
  const { PUBLIC_URL: _, ...rest } = ENOUGH;
  const [problem, ...more] = problemsOf(rest);
  assert.match(
    problem!,
    /^PUBLIC_URL is missing: set PUBLIC_URL to the URL of this service, .*https:\/\/hubs\.example\.org$/,
  );
  assert.equal(more, []);
  assert.equal(problemsOf({ ...rest, PUBLIC_URL: "" }), [problem]);
  assert.equal(problemsOf({ ...rest, PUBLIC_URL: "", PUBLIC_URL_FILE: "" }), [problem]);
  for (const mode of ["migrate", "dev"] as const) assert.equal(problemsOf(rest, mode), [], mode);
});

test("derives PUBLIC_URL from the actual port in dev, unless it is set", () => {
  assert.is(read({ PORT: "8080" }, "dev").publicUrl.href, "http://localhost:8080/");
  assert.is(buildPublicUrl(4321, read({ PORT: "0" }, "dev")).href, "http://localhost:4321/");
  const input = read({ PORT: "0", PUBLIC_URL: "https://hubs.example.org" }, "dev");
  assert.is(buildPublicUrl(4321, input).href, "https://hubs.example.org/");
});

test.run();
