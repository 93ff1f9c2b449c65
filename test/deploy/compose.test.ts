/** Tests the compose file and its example configuration: their variables match what the program reads. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { ConfigError, readConfig } from "#lib/base/config.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), "utf8");

/** The required variables: those that the specification lists for a self-hosted deployment, and the public URL. */
const NEEDED = [
  ...["PUBLIC_URL", "POSTGRES_PASSWORD", "BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD"],
  ...["KUBECONFIG_HOST_PATH", "ROOT_DOMAIN"],
];
const GIVEN = [...NEEDED, "TRUSTED_PROXIES", "ACME_EMAIL", "SMTP_HOST", "SMTP_USER", "SMTP_PASS", "SMTP_FROM"];

/** An extra variable of the example. Without it, the database's owner gets the password of the service. */
const OWNER = "POSTGRES_OWNER_PASSWORD";

interface Scene {
  text: string;
  // deno-lint-ignore no-explicit-any
  program: any;
  // deno-lint-ignore no-explicit-any
  migrate: any;
  // deno-lint-ignore no-explicit-any
  postgres: any;
  /** The variables of the example: those that are set (`given`), and those that are commented out (`optional`). */
  given: string[];
  optional: string[];
  example: string;
}

const test = suite<Scene>("deploy/compose.yaml");

test.before(async (scene) => {
  scene.text = await read("deploy/compose.yaml");
  const { services } = parse(scene.text, { merge: true });
  scene.program = services.wheelwright;
  scene.migrate = services.migrate;
  scene.postgres = services.postgres;
  const example = scene.example = await read("deploy/.env.example");
  scene.given = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
  scene.optional = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!);
});

/** Returns the variables that the file reads from .env, except the image's name, which the program does not read. */
function takenFrom(text: string): string[] {
  const names = [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== "WHEELWRIGHT_IMAGE").sort();
}

/** Substitutes variables like compose: `:?` requires a value, `:-` has a default, which may be empty. Inner
 * substitutions come first. */
function fill(value: string, env: Record<string, string>): string {
  const filled = value.replace(/\$\{([A-Z_]+):([?-])([^${}]*)\}/g, (_, name, kind, rest) => {
    if (kind === "?" && !env[name]) throw new Error(`${name}: ${rest}`);
    return env[name] || (kind === "-" ? rest : "");
  });
  return filled === value ? value : fill(filled, env);
}

function environment(program: Scene["program"], env: Record<string, string>): Record<string, string> {
  const entries = Object.entries(program.environment as Record<string, string>);
  const given = program.env_file === ".env" ? env : {};
  return { ...given, ...Object.fromEntries(entries.map(([name, value]) => [name, fill(value, env)])) };
}

/**
 * Whether the configuration has a variable of this name. Only a known variable rejects a value together with a file.
 */
function isVariable(name: string): boolean {
  try {
    readConfig({ mode: "dev", env: { [name]: "x", [`${name}_FILE`]: "/x" }, terminal: false });
  } catch (error) {
    return error instanceof ConfigError && error.problems.some((problem) => problem.startsWith(`${name} and `));
  }
  return false;
}

const FILLED = {
  POSTGRES_PASSWORD: "p/a@s:s#w?ord",
  BOOTSTRAP_ADMIN_EMAIL: "ada@school.example",
  BOOTSTRAP_ADMIN_PASSWORD: "correct horse battery",
  KUBECONFIG_HOST_PATH: "/root/kubeconfig",
  PUBLIC_URL: "https://hubs.school.example",
  ROOT_DOMAIN: "spokes.example.org",
};

test("every variable that it takes or gives is one of the configuration", ({ text, program, migrate, given, optional }) => {
  assert.not(isVariable("POSTGRES_PASSWROD"));
  const passed = [...Object.keys(program.environment), ...Object.keys(migrate.environment)];
  const named = [...takenFrom(text), ...passed, ...given, ...optional];
  assert.equal(named.filter((name) => !isVariable(name)), []);
});

test("lists the specification's variables first, and requires those without a default", (scene) => {
  assert.equal([...scene.given].sort(), [...GIVEN, OWNER].sort());
  const shown = [...scene.given, ...scene.optional];
  assert.equal(takenFrom(scene.text).filter((name) => !shown.includes(name)), []);
  const required = [...scene.text.matchAll(/\$\{([A-Z_]+):\?set \1 /g)].map(([, name]) => name!);
  assert.equal([...new Set(required)].sort(), [...NEEDED].sort());
});

test("the example with only what is needed is a configuration, in which the empty counts as absent", ({ program }) => {
  const config = readConfig({ mode: "serve", env: environment(program, FILLED), terminal: false });
  assert.equal([config.acmeEmail, config.smtp, config.trustedProxies], [null, null, []]);
  assert.is(config.database.url, "postgres://wheelwright_service:p%2Fa%40s%3As%23w%3Ford@postgres:5432/wheelwright");
  assert.is(config.bootstrapAdmin?.email, "ada@school.example");
});

test("everything that the example offers reaches the program", ({ program, given, optional }) => {
  const full: Record<string, string> = {
    ...FILLED,
    ACME_EMAIL: "ops@school.example",
    SMTP_HOST: "smtp.school.example",
    SMTP_USER: "ada",
    SMTP_PASS: "s3cret",
    SMTP_FROM: "hubs@school.example",
    SMTP_PORT: "465",
    CLUSTER_ROLE: "wheelwright-spoke",
    RELEASE_ID: "north",
    SPOKE_SMTP_HOST: "relay.school.example",
    SPOKE_SMTP_PORT: "2525",
    SPOKE_SMTP_USER: "site-${namespace}",
    SPOKE_SMTP_SECRET: "0123456789abcdef0123456789abcdef",
    TRUSTED_PROXIES: "172.16.0.0/12",
    DNS_SERVERS: "10.0.0.2",
    PORTAL: "on",
    REQUIRE_SECOND_FACTOR: "operators",
    BACKUP_PASSPHRASE: "correct horse battery",
    SECRETS_KEY: "dGVzdHNlY3JldHNrZXl0ZXN0c2VjcmV0c2tleTEyMzQ=",
    LOG_LEVEL: "debug",
    METRICS_PORT: "9464",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    CATALOG: "/etc/wheelwright/catalog/catalog.yaml",
    BLUEPRINT_DIR: "/etc/wheelwright/blueprint",
  };
  assert.equal([...given, ...optional].sort(), [...Object.keys(full), OWNER].sort());
  const { acmeEmail, clusterRole, smtp, relay, publicUrl, trustedProxies, dnsServers, backupPassphrase, portal, log } =
    readConfig({
      mode: "serve",
      env: environment(program, full),
      terminal: false,
    });
  assert.equal([acmeEmail, clusterRole, publicUrl.hostname, trustedProxies, dnsServers, log.level], [
    "ops@school.example",
    "wheelwright-spoke",
    "hubs.school.example",
    ["172.16.0.0/12"],
    ["10.0.0.2"],
    "debug",
  ]);
  assert.equal([backupPassphrase, portal], ["correct horse battery", true]);
  assert.equal(smtp, {
    host: "smtp.school.example",
    port: 465,
    user: "ada",
    pass: "s3cret",
    from: "hubs@school.example",
    encryption: "opportunistic",
  });
  assert.equal(relay, {
    host: "relay.school.example",
    port: 2525,
    user: "site-${namespace}",
    secret: "0123456789abcdef0123456789abcdef",
    from: "hubs@school.example",
  });
});

test("what the file fixes is fixed, whatever else .env says", ({ program }) => {
  const env = {
    ...FILLED,
    PORT: "1",
    HOST: "::1",
    DATABASE_URL: "postgres://else",
    DATABASE_OWNER_URL: "postgres://else",
  };
  const { port, host, database } = readConfig({ mode: "serve", env: environment(program, env), terminal: false });
  assert.equal([port, host, new URL(database.url).hostname, database.ownerUrl], [3000, "0.0.0.0", "postgres", null]);
});

test("files for what customers may choose and for manifests are where the example says that they are", (scene) => {
  for (const place of ["catalog", "blueprint"]) {
    assert.ok(scene.program.volumes.includes(`./${place}:/etc/wheelwright/${place}:ro`));
    assert.match(scene.example, `=/etc/wheelwright/${place}`);
  }
});

test("the proxy passes on to where the program listens, and events as they come", async ({ text }) => {
  const { services } = parse(text, { merge: true });
  assert.equal(services.proxy.profiles, ["proxy"]);
  const [caddy, nginx] = [await read("deploy/Caddyfile"), await read("deploy/nginx.conf")];
  assert.match(caddy, /^\{\$PUBLIC_URL\} \{\n\treverse_proxy wheelwright:3000 \{\n\t\tflush_interval -1/m);
  assert.match(nginx, /proxy_pass http:\/\/127\.0\.0\.1:3000;/);
  assert.match(nginx, /proxy_buffering off;/);
});

test("the kubeconfig of this machine is mounted where the program looks, for reading only", ({ program }) => {
  type Mount = { type: string; source: string; target: string; read_only: boolean };
  const mounts = (program.volumes as (string | Mount)[]).filter((mount) => typeof mount !== "string");
  const [mount] = mounts.filter(({ target }) => target === program.environment.KUBECONFIG);
  assert.is(fill(mount!.source, FILLED), "/root/kubeconfig");
  assert.equal([mount!.type, mount!.read_only], ["bind", true]);
});

test("the program may do nothing but its work, and has the time to end it", ({ program, migrate }) => {
  for (const { read_only, cap_drop, security_opt } of [program, migrate]) {
    assert.equal([read_only, cap_drop, security_opt], [true, ["ALL"], ["no-new-privileges:true"]]);
  }
  const { shutdownGraceMs, port } = readConfig({ mode: "serve", env: environment(program, FILLED), terminal: false });
  assert.ok(parseInt(program.stop_grace_period) * 1000 >= shutdownGraceMs + 10_000);
  assert.equal(program.ports, [`127.0.0.1:${port}:3000`]);
});

test("the database is migrated before the program starts, keeps its data, and nobody outside reaches it", (scene) => {
  const { program, migrate, postgres, text } = scene;
  const healthy = { postgres: { condition: "service_healthy" } };
  assert.equal(migrate.depends_on, healthy);
  assert.equal(program.depends_on, { ...healthy, migrate: { condition: "service_completed_successfully" } });
  assert.equal([migrate.command, migrate.restart], [["migrate"], undefined]);
  assert.is(postgres.ports, undefined);
  assert.match(postgres.image, /postgres:18-/);
  assert.equal(postgres.volumes, ["postgres:/var/lib/postgresql"], "where version 18 has its data");
  assert.ok("postgres" in parse(text).volumes);
});

test("only what migrates has the owner's password, and the program's role is another one", ({ program, migrate, postgres }) => {
  const env = { ...FILLED, [OWNER]: "the owner's" };
  const owner = environment(postgres, env);
  const { url, ownerUrl } = readConfig({ mode: "migrate", env: environment(migrate, env), terminal: false }).database;
  const { database } = readConfig({ mode: "serve", env: environment(program, env), terminal: false });
  assert.is(ownerUrl, `postgres://${owner.POSTGRES_USER}:the%20owner's@postgres:5432/${owner.POSTGRES_DB}`);
  assert.is(owner.POSTGRES_PASSWORD, "the owner's");
  assert.equal([database.url, database.ownerUrl], [url, null]);
  assert.is.not(new URL(url).username, owner.POSTGRES_USER);
  assert.not.match(JSON.stringify(environment(program, env)), "the owner's");
});

test("uses one password for both roles if the owner has none", (scene) => {
  assert.is(environment(scene.postgres, FILLED).POSTGRES_PASSWORD, FILLED.POSTGRES_PASSWORD);
  assert.is(environment(scene.migrate, FILLED).POSTGRES_OWNER_PASSWORD, FILLED.POSTGRES_PASSWORD);
});

test.run();
