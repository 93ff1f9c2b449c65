/**
 * Tests that kubeconfigs are read as kubectl reads them: precedence of credentials, impersonation and several files.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import type { KubeconfigSource } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { GET_REQUEST, UNCANCELLED } from "#test/support/kube/api.ts";
import { CERTIFICATE, CERTIFICATE_KEY, RENEWED_CERTIFICATE } from "#test/support/kube/certificate.ts";
import { answer, kubeconfigOf, type KubeServer, openKubeServer } from "#test/support/kube/server.ts";

interface Scene {
  readonly folder: string;
  readonly server: KubeServer;
}

const test = suite<Scene>("readKubeconfig");

test.before.each(async (scene) => {
  Object.assign(scene, {
    folder: await mkdtemp(join(tmpdir(), "kubeconfig-")),
    server: await openKubeServer((_asked, response) => answer(response, 200, { fine: true })),
  });
});
test.after.each(async ({ folder, server }) => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Returns the headers of one call with these credentials. */
async function call(server: KubeServer, source: KubeconfigSource) {
  const connections = await openServerConnections(source);
  const api = openKubeApi({ connections, concurrency: 1, deadline: 5000, userAgent: "wheelwright" });
  await api.call(GET_REQUEST, UNCANCELLED).finally(() => api.close());
  return server.requests.at(-1)!.headers;
}

async function refusal(source: KubeconfigSource): Promise<string> {
  const error = await openServerConnections(source).then(() => null, (error) => error);
  assert.instance(error, ClusterError);
  assert.is(error.code, "kubeconfig");
  return error.message;
}

test("prefers a token file to a token, and both to an exec plugin", async ({ folder, server }) => {
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-plugin" };
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, "of-file\n");
  const sent = async (user: object) => (await call(server, server.kubeconfig({}, user))).authorization;
  assert.is(await sent({ token: "of-config", tokenFile, exec }), "Bearer of-file");
  assert.is(await sent({ token: "of-config", exec }), "Bearer of-config");
  assert.is(await sent({ token: "of-config", tokenFile: join(folder, "missing") }), "Bearer of-config");
  assert.is(await sent({ username: "a", password: "b", exec }), `Basic ${btoa("a:b")}`);
});

test("prefers data to files for certificates", async ({ folder }) => {
  const secure = await openKubeServer((_asked, response) => answer(response, 200, {}), {
    key: CERTIFICATE_KEY,
    cert: CERTIFICATE,
  });
  try {
    await writeFile(join(folder, "other.pem"), RENEWED_CERTIFICATE);
    const cluster = {
      "certificate-authority": join(folder, "other.pem"),
      "certificate-authority-data": btoa(CERTIFICATE),
      "tls-server-name": "kube.test",
    };
    const user = {
      "client-certificate": join(folder, "missing"),
      "client-certificate-data": btoa(CERTIFICATE),
      "client-key": join(folder, "missing"),
      "client-key-data": btoa(CERTIFICATE_KEY),
    };
    await call(secure, secure.kubeconfig(cluster, user));
    assert.is(secure.requests.length, 1);
  } finally {
    await secure.close();
  }
});

test("impersonates a user with groups, uid and extra values", async ({ server }) => {
  const headers = await call(
    server,
    server.kubeconfig({}, {
      token: "x",
      as: "jane",
      "as-uid": "7",
      "as-groups": ["teachers", "staff"],
      "as-user-extra": { "acme.example/Scope": ["one", "two"] },
    }),
  );
  assert.equal(
    [headers["impersonate-user"], headers["impersonate-uid"], headers["impersonate-group"]],
    ["jane", "7", "teachers, staff"],
  );
  assert.is(headers["impersonate-extra-acme.example%2fscope"], "one, two");
});

test("refuses the same settings as kubectl, and names the field", async ({ server }) => {
  const users: [object, RegExp][] = [
    [{ "as-groups": ["a"] }, /user\.as is missing/],
    [{ token: "a", username: "b" }, /both a token and a user name/],
    [{ "client-certificate-data": "a" }, /certificate without its key/],
    [{ token: 7 }, /user\.token must be a string/],
    [{ "as-groups": "a" }, /as-groups must be a list/],
    [{ exec: {} }, /exec\.command is missing/],
    [{ exec: { command: "a", apiVersion: "client.authentication.k8s.io/v1alpha1" } }, /must be .*v1 or v1beta1/],
    [{ exec: { command: "a", apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Always" } }, /terminal/],
    [{ "auth-provider": { name: "gcp", config: { "cmd-path": "gcloud" } } }, /use an exec plugin/],
  ];
  for (const [user, expected] of users) assert.match(await refusal(server.kubeconfig({}, user)), expected);
});

test("names a user of the context that the file does not define", async ({ server }) => {
  const config = JSON.parse(server.kubeconfig({}, { token: "x" }).text);
  config.contexts[0].context.user = "gone";
  assert.match(
    await refusal({ text: JSON.stringify(config) }),
    /has no user gone, which the context test requires; available: test/,
  );
});

test("ignores errors in unused users", async ({ server }) => {
  const config = JSON.parse(server.kubeconfig({}, { token: "x" }).text);
  config.users.push({ name: "other", user: { token: 7 } });
  assert.is((await call(server, { text: JSON.stringify(config) })).authorization, "Bearer x");
});

test("merges several files: the first value wins, and missing files are skipped", async ({ folder, server }) => {
  await mkdir(join(folder, "sub"));
  const one = { "current-context": "b", users: [{ name: "u", user: { tokenFile: "token" } }] };
  const two = {
    "current-context": "a",
    clusters: [{ name: "c", cluster: { server: server.url } }],
    contexts: [{ name: "b", context: { cluster: "c", user: "u" } }, { name: "a", context: { cluster: "c" } }],
    users: [{ name: "u", user: { token: "second", as: "nobody" } }],
  };
  const files = { "sub/one": one, two, "sub/token": "of-first" };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  const list = ["sub/one", "missing", "two"].map((name) => join(folder, name)).join(delimiter);
  const headers = await call(server, { file: list });
  assert.equal([headers.authorization, headers["impersonate-user"]], ["Bearer of-first", undefined]);
  const none = ["x", "y"].map((name) => join(folder, name));
  const message = await refusal({ file: none.join(delimiter) });
  for (const path of none) assert.match(message, path);
  await writeFile(join(folder, "two"), "clusters: [");
  assert.match(await refusal({ file: list }), join(folder, "two"));
});

test("is anonymous for a context without a user", async ({ server }) => {
  assert.is((await call(server, kubeconfigOf(server.url))).authorization, undefined);
});

test.run();
