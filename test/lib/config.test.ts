/** The configuration: defaults, one message for all problems, values from files, and what it must not tell. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Config, ConfigError, type Mode, readConfig, withPort } from "#lib/config.ts";

const test = suite("readConfig");

const ENOUGH = {
  DATABASE_URL: "postgres://someone:s3cret@db.example:5432/wheels",
  ROOT_DOMAIN: "spokes.example.org",
  KUBECONFIG: "/etc/kubeconfig",
};

function read(env: Record<string, string>, mode: Mode = "serve"): Config {
  return readConfig({ mode, env, terminal: false });
}

function problemsOf(env: Record<string, string>, mode: Mode = "serve"): readonly string[] {
  try {
    read(env, mode);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test("serve with nothing set names the database, the domain and the cluster in one message", () => {
  const named = problemsOf({}).map((problem) => problem.split(" ")[0]);
  assert.equal(named, ["DATABASE_URL", "ROOT_DOMAIN", "KUBECONFIG"]);
});

test("every wrong value is named at once, and no value is repeated", () => {
  const wrong = { ...ENOUGH, PORT: "hunter2", MAX_IN_FLIGHT: "-1", SIGNUP: "maybe", TRUSTED_PROXIES: "10.0.0.0/33" };
  const problems = problemsOf(wrong);
  assert.equal(problems.map((problem) => problem.split(" ")[0]), [
    "PORT",
    "TRUSTED_PROXIES",
    "SIGNUP",
    "MAX_IN_FLIGHT",
  ]);
  assert.not.match(problems.join(), /hunter2|maybe/);
});

test("the defaults are those of the design", () => {
  const config = read(ENOUGH);
  assert.is(config.host, "0.0.0.0");
  assert.is(config.port, 3000);
  assert.is(config.publicUrl.href, "http://localhost:3000/");
  assert.equal(config.scheduler, { on: true, lanes: 64 });
  assert.equal([config.maxInFlight, config.requestTimeoutMs, config.bodyLimitBytes], [512, 30_000, 262_144]);
  assert.is(config.shutdownGraceMs, 25_000);
  assert.equal([config.portal, config.signup, config.log.format], [false, false, "json"]);
});

test("a payment provider needs the secret of its webhook, and dev takes no live key", () => {
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

test("dev needs nothing, and takes neither an exported kubeconfig nor an exported database", () => {
  const config = read({ KUBECONFIG: "/production", DATABASE_URL: ENOUGH.DATABASE_URL }, "dev");
  assert.is(config.kubeconfig, null);
  assert.is(config.database.url, "");
  assert.is(config.rootDomain, "spokes.localhost");
  assert.is(config.shutdownGraceMs, 5000);
});

test("KUBECONFIG wins over KUBECONFIG_HOST_PATH, which dev takes too", () => {
  assert.is(read({ ...ENOUGH, KUBECONFIG_HOST_PATH: "/host" }).kubeconfig, "/etc/kubeconfig");
  assert.is(read({ KUBECONFIG_HOST_PATH: "/host" }, "dev").kubeconfig, "/host");
});

test("inside a cluster the service account stands in for a kubeconfig", () => {
  const { KUBECONFIG: _, ...rest } = ENOUGH;
  assert.equal(problemsOf({ ...rest, KUBERNETES_SERVICE_HOST: "10.0.0.1" }), []);
});

test("a password with reserved characters survives in the database's URL", () => {
  const { DATABASE_URL: _, ...rest } = ENOUGH;
  const { url } = read({ ...rest, POSTGRES_PASSWORD: "a/b@c:d#e" }).database;
  assert.is(decodeURIComponent(new URL(url).password), "a/b@c:d#e");
  assert.is(new URL(url).host, "postgres:5432");
});

test("the schema's owner has an address of its own where one is given, and dev has none", () => {
  assert.is(read(ENOUGH).database.ownerUrl, null);
  const owner = { DATABASE_OWNER_URL: "postgres://owner:x@db.example/wheels" };
  assert.is(read({ ...ENOUGH, ...owner }).database.ownerUrl, owner.DATABASE_OWNER_URL);
  assert.is(read(owner, "dev").database.ownerUrl, null);
  const parts = read({ ...ENOUGH, POSTGRES_OWNER_PASSWORD: "a/b", POSTGRES_DB: "wheels" }).database.ownerUrl;
  assert.is(parts, "postgres://postgres:a%2Fb@postgres:5432/wheels");
  assert.match(problemsOf({ ...ENOUGH, DATABASE_OWNER_URL: "mysql://x" }).join(), /^DATABASE_OWNER_URL must be a URL/);
});

test("a value comes from the file that NAME_FILE names, without its last newline", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-config-"));
  try {
    await writeFile(join(directory, "url"), ENOUGH.DATABASE_URL + "\n");
    const { DATABASE_URL: _, ...rest } = ENOUGH;
    assert.is(read({ ...rest, DATABASE_URL_FILE: join(directory, "url") }).database.url, ENOUGH.DATABASE_URL);
    const both = problemsOf({ ...ENOUGH, DATABASE_URL_FILE: join(directory, "url") });
    assert.match(both.join(), /DATABASE_URL and DATABASE_URL_FILE are both set/);
    const gone = problemsOf({ ...rest, DATABASE_URL_FILE: join(directory, "none") });
    assert.match(gone.join(), /DATABASE_URL_FILE names a file that cannot be read \(ENOENT\)/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("an empty variable counts as absent, as compose files pass them", () => {
  assert.is(read({ ...ENOUGH, PORT: "", SMTP_HOST: "" }).port, 3000);
});

test("half of a pair names the other half", () => {
  assert.match(
    problemsOf({ ...ENOUGH, BOOTSTRAP_ADMIN_EMAIL: "a@b.example" }).join(),
    /^BOOTSTRAP_ADMIN_PASSWORD is missing/,
  );
  assert.match(problemsOf({ ...ENOUGH, SMTP_HOST: "mail.example" }).join(), /^SMTP_FROM is missing/);
});

test("the sender of mail is an address, with or without a name", () => {
  const smtp = (from: string) => ({ ...ENOUGH, SMTP_HOST: "mail.example", SMTP_FROM: from });
  assert.is(read(smtp("hubs@example.org")).smtp?.from, "hubs@example.org");
  assert.is(read(smtp("Hubs <hubs@example.org>")).smtp?.from, "Hubs <hubs@example.org>");
  for (const wrong of ["hubs", "Hubs <hubs>", "a@b.example, c@d.example", "Hubs\nBcc: x <hubs@example.org>"]) {
    assert.match(problemsOf(smtp(wrong)).join(), /^SMTP_FROM must be an e-mail address/, wrong);
  }
});

test("mail becomes files in dev alone, and only without a mail server", () => {
  const SMTP = { SMTP_HOST: "mail.example", SMTP_FROM: "hubs@example.org" };
  assert.is(read(ENOUGH).mailDirectory, null);
  assert.is(read({ DATA_DIR: "/data" }, "dev").mailDirectory, "/data/mail");
  assert.is(read({ DATA_DIR: "/data", ...SMTP }, "dev").mailDirectory, null);
});

test("PUBLIC_URL follows the port that the system chose unless it was given", () => {
  assert.is(withPort(read({ ...ENOUGH, PORT: "0" }), 4321).publicUrl.href, "http://localhost:4321/");
  const given = read({ ...ENOUGH, PUBLIC_URL: "https://hubs.example.org" });
  assert.is(withPort(given, 4321).publicUrl.href, "https://hubs.example.org/");
});

test.run();
