/** Tests credentials, certificates and kubeconfigs that change at runtime or do not arrive. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type KubeApi, openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import type { KubeconfigSource } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { failureOf, GET_REQUEST, UNCANCELLED } from "#test/support/kube/api.ts";
import {
  CERTIFICATE,
  CERTIFICATE_KEY,
  RENEWED_CERTIFICATE,
  RENEWED_CERTIFICATE_KEY,
} from "#test/support/kube/certificate.ts";
import {
  answer,
  kubeconfigOf,
  type KubeHandler,
  type KubeServer,
  openKubeServer,
  openSilentServer,
  respondWithError,
} from "#test/support/kube/server.ts";
import { until } from "#test/support/until.ts";

interface Scene {
  readonly folder: string;
  /** Starts a server that is closed after the test, even if it fails. */
  serve(handle: KubeHandler, tls?: Parameters<typeof openKubeServer>[1]): Promise<KubeServer>;
  /** Returns a client that reads its credentials before each call. */
  open(source: KubeconfigSource, deadline?: number): Promise<KubeApi>;
}

const test = suite<Scene>("openServerConnections, credential rotation");
const open: { close(): unknown }[] = [];

test.before.each(async (scene) => {
  Object.assign(scene, {
    folder: await mkdtemp(join(tmpdir(), "rotation-")),
    serve: async (...how: Parameters<typeof openKubeServer>) => {
      const server = await openKubeServer(...how);
      open.push(server);
      return server;
    },
    open: async (source: KubeconfigSource, deadline = 5000) => {
      const api = openKubeApi({
        connections: await openServerConnections(source, { ttl: 0 }),
        concurrency: 16,
        deadline,
        userAgent: "wheelwright",
      });
      open.push(api);
      return api;
    },
  });
});
test.after.each(async ({ folder }) => {
  for (const each of open.splice(0).reverse()) await each.close();
  await rm(folder, { recursive: true });
});

const fine: KubeHandler = (_asked, response) => answer(response, 200, { fine: true });
const bearer: KubeHandler = ({ headers }, response) => answer(response, 200, { who: headers.authorization });

/** Creates a plugin that returns its run number as the token, valid until the given time. */
function plugin(folder: string, until: string): object {
  const credential =
    `{"status": {"token": "t'$(wc -l < "${folder}/runs" | tr -d " ")'", "expirationTimestamp": "${until}"}}`;
  const hang = `if [ -e "${folder}/hang" ]; then sleep 600; fi`;
  const wait = `while [ -e "${folder}/wait" ]; do sleep 0.01; done`;
  const script = `echo run >> "${folder}/runs"; ${hang}; ${wait}; echo '${credential}'`;
  return { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", script] } };
}
const runs = async (folder: string) => (await readFile(join(folder, "runs"), "utf8")).trim().split("\n").length;
const PAST = "2020-01-01T00:00:00Z", FUTURE = "2120-01-01T00:00:00Z";

test("runs the plugin again only after its token has expired", async ({ folder, serve, open }) => {
  const server = await serve(bearer);
  const expired = await open(server.kubeconfig({}, plugin(folder, PAST)));
  const first = (await expired.call(GET_REQUEST, UNCANCELLED)).body.who,
    second = (await expired.call(GET_REQUEST, UNCANCELLED)).body.who;
  assert.not.equal(first, second);
  const before = await runs(folder);
  const good = await open(server.kubeconfig({}, plugin(folder, FUTURE)));
  for (const _ of [1, 2, 3]) assert.is((await good.call(GET_REQUEST, UNCANCELLED)).body.who, `Bearer t${before + 1}`);
});

test("runs the plugin once for all calls whose token was refused early", async (scene) => {
  const { folder, serve, open } = scene;
  const server = await serve((asked, response) => {
    if (asked.headers.authorization === "Bearer t1") respondWithError(response, 401, "Unauthorized", "Unauthorized");
    else fine(asked, response, response.socket!);
  });
  const api = await open(server.kubeconfig({}, plugin(folder, FUTURE)));
  await Promise.all(Array.from({ length: 12 }, () => api.call(GET_REQUEST, UNCANCELLED)));
  assert.is(await runs(folder), 2);
});

test("does not renew credentials that are already renewed", async ({ folder, serve }) => {
  const server = await serve(bearer);
  const connections = await openServerConnections(server.kubeconfig({}, plugin(folder, FUTURE)));
  open.push(connections);
  const refused = await connections.current();
  for (const _ of [1, 2, 3]) {
    await connections.renew(refused);
    await connections.current();
  }
  assert.is(await runs(folder), 2);
  await connections.renew(await connections.current());
  await connections.current();
  assert.is(await runs(folder), 3);
});

test("renews credentials once for two refused connections", async (scene) => {
  const { folder, serve } = scene;
  const server = await serve(bearer);
  const connections = await openServerConnections(server.kubeconfig({}, plugin(folder, FUTURE)), { ttl: 0 });
  open.push(connections);
  const one = await connections.current(), other = await connections.current();
  assert.is.not(one, other);
  await connections.renew(one);
  await connections.renew(other);
  await connections.current();
  assert.is(await runs(folder), 2);
});

test("reads credentials again if they were renewed during the read", async ({ folder, serve }) => {
  const server = await serve(bearer);
  const connections = await openServerConnections(server.kubeconfig({}, plugin(folder, PAST)), { ttl: 0 });
  open.push(connections);
  const refused = await connections.current();
  await writeFile(join(folder, "wait"), "");
  const coming = connections.current();
  await until(async () => await runs(folder) === 3);
  await connections.renew(refused);
  await rm(join(folder, "wait"));
  assert.is((await coming).headers.authorization, "Bearer t4");
});

test("starts a hanging plugin once for all waiting calls", async ({ folder, serve, open }) => {
  const server = await serve(bearer);
  const api = await open(server.kubeconfig({}, plugin(folder, PAST)), 300);
  await writeFile(join(folder, "hang"), "");
  const before = await runs(folder);
  for (
    const { code, transient } of await Promise.all([1, 2, 3].map(() => failureOf(api.call(GET_REQUEST, UNCANCELLED))))
  ) {
    assert.equal([code, transient], ["credentials", true]);
  }
  assert.is(await runs(folder), before + 1);
});

test("presents a renewed client certificate", async ({ folder, serve, open }) => {
  const server = await serve((_asked, response, socket) => {
    answer(response, 200, { who: (socket as TLSSocket).getPeerCertificate().subject?.CN });
  }, {
    key: CERTIFICATE_KEY,
    cert: CERTIFICATE,
    ca: [CERTIFICATE, RENEWED_CERTIFICATE],
    requestCert: true,
    rejectUnauthorized: false,
  });
  const [cert, key] = [join(folder, "cert"), join(folder, "key")];
  const write = async (...texts: string[]) => {
    await writeFile(cert, texts[0]!);
    await writeFile(key, texts[1]!);
  };
  await write(CERTIFICATE, CERTIFICATE_KEY);
  const cluster = { "certificate-authority-data": btoa(CERTIFICATE), "tls-server-name": "kube.test" };
  const api = await open(server.kubeconfig(cluster, { "client-certificate": cert, "client-key": key }));
  assert.is((await api.call(GET_REQUEST, UNCANCELLED)).body.who, "kube.test");
  await write(RENEWED_CERTIFICATE, RENEWED_CERTIFICATE_KEY);
  assert.is((await api.call(GET_REQUEST, UNCANCELLED)).body.who, "renewed.kube.test");
  await until(() => server.openConnections() === 1);
});

test("trusts a new certificate authority after the kubeconfig has changed", async (scene) => {
  const { folder, serve, open } = scene;
  const file = join(folder, "config");
  const server = await serve(fine, { key: RENEWED_CERTIFICATE_KEY, cert: RENEWED_CERTIFICATE });
  const trusting = (authority: string) =>
    server.kubeconfig({ "certificate-authority-data": btoa(authority), "tls-server-name": "kube.test" }).text;
  await writeFile(file, trusting(CERTIFICATE));
  const api = await open({ file });
  const { code, transient, blame } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
  assert.equal([code, transient, blame], ["untrusted", true, "operator"]);
  await writeFile(file, trusting(RENEWED_CERTIFICATE));
  assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true });
});

test("follows a changed server address, but not in a half-written kubeconfig", async (scene) => {
  const { folder, serve, open } = scene;
  const file = join(folder, "config");
  const [old, fresh] = [await serve(fine), await serve(fine)];
  await writeFile(file, old.kubeconfig().text);
  const api = await open({ file });
  for (const text of [fresh.kubeconfig().text.slice(0, 60), "", "contexts: []"]) {
    await writeFile(file, text);
    await api.call(GET_REQUEST, UNCANCELLED);
  }
  await rm(file);
  await api.call(GET_REQUEST, UNCANCELLED);
  assert.equal([old.requests.length, fresh.requests.length], [4, 0]);
  await writeFile(file, fresh.kubeconfig().text);
  await api.call(GET_REQUEST, UNCANCELLED);
  assert.equal([old.requests.length, fresh.requests.length], [4, 1]);
});

test("keeps its context after kubectl switches, and names a removed context", async (scene) => {
  const { folder, serve, open } = scene;
  const file = join(folder, "config");
  const [ours, theirs] = [await serve(fine), await serve(fine)];
  const config = (current: string, contexts: string[]) =>
    JSON.stringify({
      "current-context": current,
      clusters: [{ name: "ours", cluster: { server: ours.url } }, { name: "theirs", cluster: { server: theirs.url } }],
      contexts: contexts.map((name) => ({ name, context: { cluster: name } })),
      users: [],
    });
  await writeFile(file, config("ours", ["ours", "theirs"]));
  const api = await open({ file });
  await writeFile(file, config("theirs", ["ours", "theirs"]));
  await api.call(GET_REQUEST, UNCANCELLED);
  assert.equal([ours.requests.length, theirs.requests.length], [1, 0]);
  const again = await open({ file, context: "ours" });
  await writeFile(file, config("theirs", ["theirs"]));
  await again.call(GET_REQUEST, UNCANCELLED);
  assert.equal([ours.requests.length, theirs.requests.length], [2, 0], "the last credentials are still used");
  const { code, message, transient } = await failureOf(open({ file, context: "ours" }));
  assert.equal([code, transient], ["kubeconfig", true]);
  assert.match(message, "has no context ours; available: theirs");
});

test("limits a hanging TLS handshake to the deadline and closes the connection", async ({ open }) => {
  const silence = await openSilentServer();
  try {
    const api = await open(kubeconfigOf(silence.url), 200);
    const failures = [api.call({ ...GET_REQUEST, repeat: "unsent" }, UNCANCELLED), api.stream("/log", {}, UNCANCELLED)]
      .map(failureOf);
    for (const { code, transient } of await Promise.all(failures)) assert.equal([code, transient], ["deadline", true]);
    await silence.left();
  } finally {
    await silence.close();
  }
});

test.run();
