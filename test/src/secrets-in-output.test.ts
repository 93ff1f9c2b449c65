/**
 * Checks that no secret is written to the log, the metrics or the traces. The test uses every part of the program with
 * known secrets, and then searches all output for them.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PASSWORD } from "#test/support/users.ts";
import { findFreePort } from "#test/support/free-port.ts";
import { openProgramWithOutput, type ProgramWithOutput } from "#test/support/program-with-output.ts";
import { openProvider } from "#test/support/provider/provider.ts";
import { siteSecretsOf } from "#test/support/sites.ts";
import { until } from "#test/support/until.ts";

const test = suite("secrets in the log, the metrics and the traces");

/** Returns a secret that cannot occur in output by accident. */
const canary = (name: string) => `canary-${name}-${crypto.randomUUID()}`;
const SECRETS = {
  cluster: canary("cluster"),
  smtp: canary("smtp"),
  relay: canary("relay"),
  collector: canary("collector"),
  provider: `sk_test_${canary("provider")}`,
  webhook: `whsec_${canary("webhook")}`,
  key: Buffer.from(canary("key").slice(0, 32)).toString("base64"),
  wrong: canary("wrong"),
  fresh: canary("fresh"),
  guest: canary("guest"),
  query: canary("query"),
  body: canary("body"),
  cookie: canary("cookie"),
  path: canary("path"),
  said: canary("said"),
  logged: canary("logged"),
};

/** The secrets that the program, the cluster and the mails created, by name. */
type Made = Record<string, string>;

test("writes no secret to the log, the metrics or the traces", async () => {
  const provider = await openProvider(), made: Made = {};
  const observed = await openProgramWithOutput({
    env: {
      METRICS_PORT: String(await findFreePort()),
      SPOKE_SMTP_HOST: "relay.example.org",
      SPOKE_SMTP_USER: "site-${namespace}@example.org",
      SPOKE_SMTP_SECRET: SECRETS.relay,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRETS.collector}`,
      OTEL_BSP_MAX_QUEUE_SIZE: "1",
      SECRETS_KEY: SECRETS.key,
      ...provider.env,
      STRIPE_SECRET_KEY: SECRETS.provider,
      STRIPE_WEBHOOK_SECRET: SECRETS.webhook,
    },
    smtp: { auth: { user: "hubs", pass: SECRETS.smtp } },
    kubeconfig: (text) => text.replace("user: {}", `user: { token: ${SECRETS.cluster} }`),
  });
  made.database = decodeURIComponent(new URL(observed.db.url).password);
  try {
    await people(observed, made);
    await badRequests(observed);
    const hub = await operations(observed, made);
    await failures(observed, hub);
    await mailTrouble(observed, hub, made);
    const metrics = await observed.metrics();
    await observed.stop();
    search(observed, metrics, { ...SECRETS, ...made });
    checkOutput(observed, metrics);
  } finally {
    await observed.close();
    await provider.close();
  }
});

const cookieOf = (headers: Headers) => headers.get("set-cookie")!.split(";")[0]!;

async function people({ send, smtp, operator, db }: ProgramWithOutput, made: Made): Promise<void> {
  const signIn = { email: operator.email, password: PASSWORD };
  const login = await send("POST", "/api/auth/login", signIn, {});
  const cookie = made.session = cookieOf(login.headers), me = { cookie };
  assert.is(login.status, 200);
  await send("POST", "/api/auth/login", { ...signIn, password: SECRETS.wrong }, {});
  await send("POST", "/sign-in", `email=${operator.email}&password=${SECRETS.wrong}`, {
    "content-type": "application/x-www-form-urlencoded",
  });
  const minted = await send("POST", "/api/auth/tokens", { name: "n", scope: "cli" }, me);
  made.token = minted.body.token;
  await send("GET", "/api/auth/me", undefined, { authorization: `Bearer ${made.token}` });
  await send("DELETE", `/api/auth/tokens/${minted.body.id}`, undefined, me);
  await send("GET", "/api/auth/me", undefined, { authorization: `Bearer ${made.token}` });

  await send("POST", "/api/auth/signup", { email: "guest@example.org", password: SECRETS.guest }, {});
  made.verify = (await smtp.next("guest@example.org")).token!;
  await send("POST", "/api/auth/verify-email", { token: made.verify }, {});
  await send("GET", `/verify?token=${made.verify}`, undefined, {});
  await send("POST", "/api/auth/forgot-password", { email: "guest@example.org" }, {});
  made.reset = (await smtp.next("guest@example.org")).token!;
  await send("POST", "/api/auth/reset-password", { token: made.reset, password: "short" }, {});
  const reset = await send("POST", "/api/auth/reset-password", { token: made.reset, password: SECRETS.fresh }, {});
  assert.is(reset.status, 200);
  const [guest] = await db.sql("select id from users where email = 'guest@example.org'");
  made.password = (await send("POST", `/api/users/${guest!.id}/reset-password`, undefined, me)).body.password;
  assert.ok(made.password);
}

async function badRequests({ send, config }: ProgramWithOutput): Promise<void> {
  const json = { "content-type": "application/json" };
  await send("POST", "/api/auth/login", `{"email": "${SECRETS.body}", "password": `, json);
  await send("POST", "/api/auth/login", { email: 7, password: [SECRETS.body] }, json);
  await send("POST", "/api/federations", { slug: "x", [SECRETS.body]: SECRETS.body });
  await send("POST", "/api/auth/login", "x".repeat(config.bodyLimitBytes) + SECRETS.body, json);
  for (const path of ["/invite", "/reset", "/api/version", "/nothing", "/api/spokes"]) {
    await send("GET", `${path}?token=${SECRETS.query}`, undefined, {});
  }
  for (const path of [`/api/spokes/${SECRETS.path}`, `/${SECRETS.path}`, `/hubs/${SECRETS.path}`]) {
    await send("GET", path);
  }
  for (const scheme of ["Bearer", "Basic", "bearer ww_cli_"]) {
    await send("GET", "/api/auth/me", undefined, { authorization: `${scheme} ${SECRETS.wrong}` });
  }
  await send("GET", "/api/auth/me", undefined, { cookie: `wheelwright=${SECRETS.cookie}` });
  await send("GET", "/api/version", undefined, {
    traceparent: `00-${SECRETS.query}`,
    "x-request-id": `id ${SECRETS.query}`,
    "idempotency-key": SECRETS.query,
  });
  await send("POST", "/api/billing/webhook", { secret: SECRETS.body }, { ...json, "stripe-signature": SECRETS.wrong });
}

async function operations(observed: ProgramWithOutput, made: Made): Promise<string> {
  const { send, simulator, db } = observed;
  const hub = (await send("POST", "/api/federations", { slug: "north" })).body.id;
  const { body: { id } } = await send("POST", `/api/federations/${hub}/spokes`, { slug: "oak" });
  await observed.becomes(id, "active");
  const link = await send("POST", `/api/spokes/${id}/sign-in-link`);
  assert.is(link.status, 201);
  made.signIn = new URL(link.body.url).searchParams.get("token")!;
  await act(observed, id, "reset-admin-password");
  await send("GET", `/api/federations/${hub}/spokes/preview-cost?size=small`);
  await send("POST", `/api/spokes/${id}/delegate`, { email: "grace@example.org", displayName: "Grace" });
  made.invitation = (await observed.smtp.next("grace@example.org")).token!;
  await send("POST", "/api/auth/accept-invite", { token: made.invitation, password: SECRETS.fresh }, {});
  await send("POST", "/api/auth/accept-invite", { token: made.invitation, password: SECRETS.fresh }, {});
  const [{ namespace }] = await db.sql("select namespace from spokes where id = $1", [id]);
  Object.assign(made, siteSecretsOf(simulator, namespace));
  return hub;
}

async function act({ send, db }: ProgramWithOutput, spoke: string, action: string): Promise<void> {
  const { body } = await send("POST", `/api/spokes/${spoke}/actions`, { action });
  await until(async () => {
    const [row] = await db.sql("select state from jobs where id = $1", [body.operation.id]);
    return !["queued", "running"].includes(row!.state);
  }, 60_000);
}

async function failures(observed: ProgramWithOutput, hub: string): Promise<void> {
  const { send, simulator } = observed;
  const fault = simulator.faults.failJob("install-", { log: [`mysql --password=${SECRETS.logged}`, "no luck"] });
  const failing = (await send("POST", `/api/federations/${hub}/spokes`, { slug: "elm" })).body.id;
  await observed.becomes(failing, "failed");
  simulator.faults.remove(fault);
  const message = `admission webhook denied the request: password=${SECRETS.said}`;
  const body = JSON.stringify({ kind: "Status", status: "Failure", message, reason: "Invalid", code: 422 });
  simulator.faults.answer(422, { method: "POST", path: "/secrets", body, times: 1 });
  const refused = (await send("POST", `/api/federations/${hub}/spokes`, { slug: "ash" })).body.id;
  await observed.becomes(refused, "failed");
  // All connections are lost. The messages about the loss must not contain the address.
  await observed.db.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'wheelwright%' and pid <> pg_backend_pid()`,
  );
  await send("GET", "/api/overview");
}

/** Starts a relay that rejects a mail and quotes its link. */
async function mailTrouble(observed: ProgramWithOutput, hub: string, made: Made): Promise<void> {
  const { send, smtp } = observed;
  smtp.rules.data = (raw) => {
    made.refused = /token=(?:3D)?([\w-]{20,})/.exec(raw.replace(/=\r?\n/g, ""))?.[1] ?? "nothing";
    return `550 5.7.1 I do not like ${made.refused}`;
  };
  const joan = { email: "joan@example.org", displayName: "Joan" };
  // This request may be the first one that detects the lost connection. The request then has no effect.
  await until(async () => (await send("POST", `/api/federations/${hub}/members`, joan)).status === 200);
  await until(() => observed.log.some(({ kind, level }) => kind === "mail" && level === "warn"));
}

/** Returns the secrets as plain text and in the encodings of protocols. */
function search({ lines, collector, log }: ProgramWithOutput, metrics: string, secrets: Made): void {
  const sent = collector.bytes().replaceAll(`api-key\n${SECRETS.collector}\n`, "");
  const places: Made = { "the log": lines.join(""), "the traces": sent, "the metrics": metrics };
  const found: string[] = [];
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 8, `${name} is too short to be searched for`);
    const value = secret.replace(/^wheelwright=/, "");
    for (const shape of [value, encodeURIComponent(value), btoa(value).replace(/=+$/, "").slice(0, -1)]) {
      for (const [place, text] of Object.entries(places)) {
        if (text.includes(shape)) {
          found.push(`${name} in ${place}: ${log.find((line) => JSON.stringify(line).includes(shape))?.message}`);
        }
      }
    }
  }
  assert.equal([...new Set(found)], []);
}

/** Checks that output exists, because an empty output contains no secrets either. */
function checkOutput({ lines, collector }: ProgramWithOutput, metrics: string): void {
  const names = new Set(collector.spans.map(({ name }) => name));
  const expected = [
    "POST /api/auth/login",
    "provision",
    "provision secrets",
    "POST secrets",
    "send mail",
    "transaction",
  ];
  assert.equal(expected.filter((name) => !names.has(name)), []);
  assert.ok(
    lines.some((line) => line.includes("Operation failed")) && lines.some((line) => line.includes("Sent an email")),
  );
  assert.match(metrics, /wheelwright_http_request_duration_seconds_count\{.*route="\/api\/auth\/login".*\} [1-9]/);
}

test.run();
