/** Tests exec plugins, token files and providers that hang, fail or return invalid data. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open as openFile, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openServerConnections, type ServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { createLog } from "#lib/base/log.ts";
import { LOCAL_CERTIFICATE, LOCAL_CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";
import { answer, kubeconfigOf, openKubeServer, openSilentServer } from "#test/support/kube/server.ts";
import { until } from "#test/support/until.ts";

const API = "client.authentication.k8s.io/v1", SERVER = "http://127.0.0.1:1";

interface Scene {
  readonly folder: string;
  /** The log lines. */
  readonly lines: string[];
  /** Reads the credentials before each call. */
  open(user: object, deadline?: number, cluster?: object): Promise<ServerConnections>;
}

const test = suite<Scene>("createCredentialReader");
const opened: ServerConnections[] = [];

test.before.each(async (scene) => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", write: (line) => void lines.push(line) });
  const folder = await mkdtemp(join(tmpdir(), "plugin-"));
  Object.assign(scene, {
    folder,
    lines,
    open: async (user: object, deadline = 5000, cluster: object = {}) => {
      await writeFile(join(folder, "config"), kubeconfigOf(SERVER, cluster, user).text);
      const connections = await openServerConnections({ file: join(folder, "config") }, { ttl: 0, deadline, log });
      opened.push(connections);
      return connections;
    },
  });
});
test.after.each(async ({ folder }) => {
  for (const connections of opened.splice(0)) connections.close();
  await rm(folder, { recursive: true });
});

const shell = (script: string, more: object = {}) => ({
  exec: { apiVersion: API, command: "sh", args: ["-c", script], ...more },
});
const credential = (status: object) => `echo '${JSON.stringify({ apiVersion: API, kind: "ExecCredential", status })}'`;
const header = async (connections: ServerConnections) => (await connections.current()).headers.authorization;

async function failureOf(work: Promise<unknown>): Promise<ClusterError> {
  const error = await work.then(() => null, (error) => error);
  assert.instance(error, ClusterError);
  return error;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("kills a hanging plugin with its children, logs its name, and starts it again", async ({ folder, lines, open }) => {
  const hang = `if [ -e "${folder}/hang" ]; then sleep 600 & echo $! > "${folder}/child"; wait; fi`;
  const connections = await open(
    shell(
      `echo run >> "${folder}/runs"; ${hang}; ${
        credential({ token: "a", expirationTimestamp: "2020-01-01T00:00:00Z" })
      }`,
    ),
    3000,
  );
  await writeFile(join(folder, "hang"), "");
  const { code, message, transient } = await failureOf(connections.current());
  assert.equal([code, transient], ["credentials", true]);
  assert.match(message, "the plugin sh did not finish within 3000 ms");
  assert.match(lines.join("\n"), /Timed out.*the plugin sh/);
  const child = Number(await readFile(join(folder, "child"), "utf8"));
  await until(() => !isAlive(child));
  await rm(join(folder, "hang"));
  assert.is(await header(connections), "Bearer a");
  assert.is((await readFile(join(folder, "runs"), "utf8")).trim().split("\n").length, 3);
});

test("ends a running plugin when the connection is closed", async ({ folder, open }) => {
  const hang = `if [ -e "${folder}/hang" ]; then echo $$ > "${folder}/pid"; sleep 600; fi`;
  const connections = await open(
    shell(`${hang}; ${credential({ token: "a", expirationTimestamp: "2020-01-01T00:00:00Z" })}`),
  );
  await writeFile(join(folder, "hang"), "");
  const failing = failureOf(connections.current());
  const pid = await until(async () => Number(await readFile(join(folder, "pid"), "utf8").catch(() => "")) || null);
  connections.close();
  await failing;
  await until(() => !isAlive(pid));
});

test("passes the same input to a plugin as kubectl, and the cluster only on request", async ({ folder, open }) => {
  const script = `echo "$KUBERNETES_EXEC_INFO" > "${folder}/info"; echo "$FLAVOUR" > "${folder}/env"; ${
    credential({ token: "a" })
  }`;
  const read = async (name: string) => (await readFile(join(folder, name), "utf8")).trim();
  await open(shell(script, { env: [{ name: "FLAVOUR", value: "sour" }] }));
  assert.equal(JSON.parse(await read("info")), {
    apiVersion: API,
    kind: "ExecCredential",
    spec: { interactive: false },
  });
  assert.is(await read("env"), "sour");
  const extensions = [{ name: "client.authentication.k8s.io/exec", extension: { audience: "x" } }];
  await open(shell(script, { provideClusterInfo: true }), 5000, { "tls-server-name": "kube", extensions });
  assert.equal(JSON.parse(await read("info")).spec, {
    cluster: { server: SERVER, "tls-server-name": "kube", config: { audience: "x" } },
    interactive: false,
  });
});

test("finds a plugin by a path relative to the kubeconfig, or by name in PATH", async ({ folder, open }) => {
  await mkdir(join(folder, "bin"));
  await writeFile(join(folder, "bin/plugin"), `#!/bin/sh\n${credential({ token: "beside" })}\n`, { mode: 0o755 });
  assert.is(await header(await open({ exec: { apiVersion: API, command: "./bin/plugin" } })), "Bearer beside");
  const missing = { exec: { apiVersion: API, command: "no-such-plugin", installHint: "Install it from its page" } };
  assert.match(
    (await failureOf(open(missing))).message,
    /Cannot run the plugin no-such-plugin.*Install it from its page/,
  );
});

test("refuses invalid plugin output without quoting it", async ({ open }) => {
  const answers = {
    "echo secret": /did not print a JSON object/,
    "echo '{}'": /returned no status/,
    [credential({})]: /neither a token nor a certificate/,
    [credential({ clientCertificateData: "secret" })]: /without its key/,
    [credential({ token: "secret", expirationTimestamp: "soon" })]: /invalid expirationTimestamp/,
    [`echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "status": {"token": "secret"}}'`]:
      /v1beta1, but the/,
    "echo broken >&2; exit 3": /exit status 3: broken/,
    "head -c 2000000 /dev/zero": /printed more than/,
  };
  for (const [script, expected] of Object.entries(answers)) {
    const { code, message } = await failureOf(open(shell(script)));
    assert.is(code, "credentials", script);
    assert.match(message, expected);
    assert.not.match(message, "secret");
  }
});

test("uses the last token while its file hangs, and then the file again", async ({ folder, open }) => {
  const file = join(folder, "token");
  await writeFile(file, "first\n");
  const connections = await open({ token: "static", tokenFile: "token" }, 2000);
  assert.is(await header(connections), "Bearer first");
  await rm(file);
  await once(spawn("mkfifo", [file]), "close");
  for (const _ of [1, 2]) assert.is(await header(connections), "Bearer first");
  await feed(file, "second");
  await rm(file);
  await writeFile(file, "third");
  await until(async () => await header(connections) === "Bearer third");
});

test("fails with the name of a file that hangs, and reads it once it answers", async ({ folder, lines, open }) => {
  const file = join(folder, "token");
  await once(spawn("mkfifo", [file]), "close");
  const { code, message } = await failureOf(open({ tokenFile: "token" }, 2000));
  assert.is(code, "credentials");
  assert.match(message, `reading ${file} did not finish within 2000 ms`);
  assert.match(lines.join("\n"), `reading ${file}`);
  await feed(file, "late");
});

const idToken = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.x`;
const oidc = (issuer: string, more: object = {}) => ({
  "auth-provider": {
    name: "oidc",
    config: { "idp-issuer-url": issuer, "client-id": "a", "refresh-token": "r1", "id-token": idToken(1), ...more },
  },
});

test("times out if an OIDC provider does not answer", async ({ open }) => {
  const silence = await openSilentServer();
  try {
    const { code, message } = await failureOf(open(oidc(silence.url), 2000));
    assert.is(code, "credentials");
    assert.match(message, `${new URL(silence.url).host}/.well-known/openid-configuration: took over 2000 ms`);
    await silence.left();
  } finally {
    await silence.close();
  }
});

test("renews an expired ID token, and uses each refresh token once", async ({ open }) => {
  const fresh = idToken(9_999_999_999), forms: string[] = [];
  const provider = await openKubeServer(({ path, body }, response) => {
    if (path.startsWith("/.well-known")) return answer(response, 200, { token_endpoint: `${provider.url}/token` });
    forms.push(body);
    answer(response, 200, { id_token: forms.length > 1 ? fresh : idToken(2), refresh_token: `r${forms.length + 1}` });
  }, { key: LOCAL_CERTIFICATE_KEY, cert: LOCAL_CERTIFICATE });
  try {
    const authority = { "idp-certificate-authority-data": btoa(LOCAL_CERTIFICATE) };
    const connections = await open(oidc(provider.url, authority));
    for (const _ of [1, 2]) assert.is(await header(connections), `Bearer ${fresh}`);
    assert.equal(forms.map((form) => new URLSearchParams(form).get("refresh_token")), ["r1", "r2"]);
  } finally {
    await provider.close();
  }
});

/** Unblocks the reader of a named pipe. */
async function feed(file: string, text: string): Promise<void> {
  const pipe = await openFile(file, "r+");
  await pipe.write(text);
  await pipe.close();
}

test.run();
