/** Tests the variables of hosts, URLs, files and the database. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ConfigError, type ConfigMode, readConfig } from "#lib/base/config.ts";
import { resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { ENOUGH, problemsOf, read } from "./config-scene.ts";

const test = suite("readConfig, hosts, URLs and files");

test("normalizes host names like browsers and refuses other text", () => {
  const domainOf = (ROOT_DOMAIN: string) => read({ ...ENOUGH, ROOT_DOMAIN }).rootDomain;
  assert.equal(["*.x.example", "Müller.example", "a.b.example.", "localhost"].map(domainOf), [
    ...["x.example", "xn--mller-kva.example", "a.b.example", "localhost"],
  ]);
  for (const wrong of ["*.*.x.example", "x*.example", "example", "https://x.example", "x.example:80", "10.0.0.1"]) {
    assert.match(problemsOf({ ...ENOUGH, ROOT_DOMAIN: wrong }).join(), /^ROOT_DOMAIN must be a host name/, wrong);
  }
  const mail = (SMTP_HOST: string) => ({ ...ENOUGH, SMTP_HOST, SMTP_FROM: "a@b.example" });
  for (const right of ["mail", "mail_relay.example", "10.0.0.1", "2001:db8::1", "müller.example"]) {
    assert.equal(problemsOf(mail(right)), [], right);
  }
  assert.is(read(mail("müller.example")).smtp!.host, "xn--mller-kva.example");
  for (const wrong of ["smtp://x:25", "x:25", "x/y", "a b", "user@x", "[::1]"]) {
    assert.match(problemsOf(mail(wrong)).join(), /^SMTP_HOST must be a host name or an IP address/, wrong);
    assert.match(
      problemsOf({ ...ENOUGH, SPOKE_SMTP_HOST: wrong }).join(),
      /^SPOKE_SMTP_HOST must be a host name/,
      wrong,
    );
  }
});

test("refuses a path or credentials in the public URL", () => {
  for (const wrong of ["https://x.example/hubs", "https://x.example/?a", "https://x.example/#a"]) {
    assert.match(problemsOf({ ...ENOUGH, PUBLIC_URL: wrong }).join(), /^PUBLIC_URL must not have a path/);
  }
  const problem = problemsOf({ ...ENOUGH, PUBLIC_URL: "https://me:s3cret@x.example" }).join();
  assert.match(problem, /^PUBLIC_URL must not contain a user or password/);
  assert.not.match(problem, "s3cret");
  assert.equal(problemsOf({ ...ENOUGH, PUBLIC_URL: "https://x.example:8443/" }), []);
  for (const wrong of ["x", "hubs.example.org", "https://", "ftp://x.example"]) {
    assert.match(
      problemsOf({ ...ENOUGH, PUBLIC_URL: wrong }).join(),
      /^PUBLIC_URL must be an http or https URL/,
      wrong,
    );
  }
});

test("rereads a replaced file for the next connection, and uses PG variables", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-config-")), file = join(directory, "password");
  try {
    await writeFile(file, "before\n");
    const { DATABASE_URL: _, ...rest } = ENOUGH;
    const { source } = read({ ...rest, POSTGRES_PASSWORD_FILE: file, PGSSLMODE: "require" }).database;
    assert.equal([resolveDatabaseAddress(source).password, resolveDatabaseAddress(source).tls.mode], [
      "before",
      "require",
    ]);
    await writeFile(file, "after\n");
    assert.is(resolveDatabaseAddress(source).password, "after");
    await rm(file);
    assert.throws(() => resolveDatabaseAddress(source), /POSTGRES_PASSWORD_FILE points to a file that cannot be read/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("refuses an unsupported connection string at startup and names the parameter", () => {
  const cases = [
    ["postgres://db.example/x?pgbouncer=true", /^DATABASE_URL has the unsupported parameter "pgbouncer"/],
    [
      "postgres://db.example/x?sslrootcert=/nowhere",
      /^DATABASE_URL has an sslrootcert whose file cannot be/,
    ],
    ["mysql://db.example/x", /^DATABASE_URL must be a URL such as postgres:/],
  ] as const;
  for (const [DATABASE_URL, problem] of cases) assert.match(problemsOf({ ...ENOUGH, DATABASE_URL }).join(), problem);
  assert.match(problemsOf({ ...ENOUGH, PGSERVICE: "x" }).join(), /^DATABASE_URL cannot be used with PGSERVICE/);
});

test("reports all unreadable files and other problems in one message", () => {
  const problems = (env: Record<string, string>, mode: ConfigMode = "serve"): readonly string[] => {
    try {
      readConfig({ mode, env: { ...ENOUGH, ...env }, terminal: false, files: true });
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };
  const missing = {
    KUBECONFIG: "/nowhere/a",
    CATALOG: "/nowhere/b",
    BLUEPRINT_DIR: "/nowhere/c",
    SMTP_HOST: "smtp://x:25",
  };
  assert.equal(problems({ ...missing, SMTP_FROM: "a@b.example" }), [
    "SMTP_HOST must be a host name or an IP address without scheme, port or path",
    "KUBECONFIG points to a file that cannot be read: no such file or directory",
    "CATALOG points to a file that cannot be read: no such file or directory",
    "BLUEPRINT_DIR points to a directory that cannot be read: no such file or directory",
  ]);
  assert.equal(
    problems({ KUBECONFIG: `/nowhere/a${delimiter}${tmpdir()}` }),
    [],
    "kubectl passes over those that are missing",
  );
  assert.equal(problems({ KUBECONFIG: "/nowhere/a" }, "dev"), [], "dev has its own cluster");
  assert.equal(problems({ KUBECONFIG: "/nowhere/a" }, "any"), []);
});

test.run();
