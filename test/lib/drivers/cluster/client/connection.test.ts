import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openServerConnections, type ServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import type { KubeconfigSource } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { answer, openKubeServer, respondWithError } from "#test/support/kube/server.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";

const anyone = { signal: new AbortController().signal };

async function refusal(source: KubeconfigSource): Promise<ClusterError> {
  const error = await openServerConnections(source).then(() => null, (error) => error);
  assert.instance(error, ClusterError);
  return error;
}

const inFolder = (use: (folder: string) => Promise<void>) => async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  await use(folder).finally(() => rm(folder, { recursive: true }));
};

async function ask(connections: ServerConnections): Promise<unknown> {
  const api = openKubeApi({ connections, concurrency: 1, deadline: 5000, userAgent: "wheelwright" });
  try {
    return (await api.call({ method: "GET", path: "/version", repeat: "unsent" }, anyone)).body;
  } finally {
    api.close();
  }
}

const tls = { key: CERTIFICATE_KEY, cert: CERTIFICATE };

const test = suite("openServerConnections");

test("names a missing kubeconfig file", async () => {
  const { code, message, transient, blame } = await refusal({ file: "/nowhere/config" });
  assert.equal([code, transient, blame], ["kubeconfig", true, "operator"]);
  assert.match(message, "/nowhere/config");
});

test(
  "names an invalid kubeconfig file",
  inFolder(async (folder) => {
    const file = join(folder, "config");
    for (const text of ["clusters: [", "", "just words", "clusters: [{name: a}]"]) {
      await writeFile(file, text);
      const { code, message } = await refusal({ file });
      assert.is(code, "kubeconfig", text);
      assert.match(message, file);
    }
  }),
);

test("names a missing context and lists the available ones", async () => {
  const server = await openKubeServer(() => {});
  const { message } = await refusal({ ...server.kubeconfig(), context: "other" });
  assert.match(message, /no context other; available: test/);
  await server.close();
});

test("reports a missing in-cluster service account", async () => {
  assert.match((await refusal("in-cluster")).message, /is not running in a cluster/);
});

test("sends a token", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  await ask(await openServerConnections(server.kubeconfig({}, { token: "secret" })));
  assert.is(server.requests[0]!.headers.authorization, "Bearer secret");
  await server.close();
});

test("sends a user name and password", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  await ask(await openServerConnections(server.kubeconfig({}, { username: "a", password: "b" })));
  assert.is(server.requests[0]!.headers.authorization, `Basic ${btoa("a:b")}`);
  await server.close();
});

test(
  "trims the token file, and reads it again after a 401",
  inFolder(async (folder) => {
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "old\n");
    const server = await openKubeServer(async (requests, response) => {
      if (requests.headers.authorization === "Bearer new") return answer(response, 200, { fine: true });
      await writeFile(tokenFile, "new\n");
      respondWithError(response, 401, "Unauthorized", "Unauthorized");
    });
    const connections = await openServerConnections(server.kubeconfig({}, { tokenFile }));
    assert.equal(await ask(connections), { fine: true });
    assert.equal(server.requests.map((one) => one.headers.authorization), ["Bearer old", "Bearer new"]);
    await server.close();
  }),
);

test("blames the operator if the credentials are still refused", async () => {
  const server = await openKubeServer((_asked, response) =>
    respondWithError(response, 401, "Unauthorized", "Unauthorized")
  );
  const error = await ask(await openServerConnections(server.kubeconfig({}, { token: "x" }))).then(
    () => null,
    (e) => e,
  );
  assert.equal([error.code, error.transient, error.blame, server.requests.length], [
    "Unauthorized",
    true,
    "operator",
    2,
  ]);
  await server.close();
});

test("uses the token of a legacy auth provider", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  const config = { "access-token": "from-azure", expiry: "2999-01-01T00:00:00Z" };
  await ask(await openServerConnections(server.kubeconfig({}, { "auth-provider": { name: "azure", config } })));
  assert.is(server.requests[0]!.headers.authorization, "Bearer from-azure");
  await server.close();
});

test("connects through a proxy", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, { fine: true }));
  const requests: string[] = [];
  const proxy = createServer().on("connect", ({ url = "" }, socket) => {
    requests.push(url);
    const onward = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const each of [socket, onward]) each.on("error", () => [socket, onward].forEach((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const way = { "proxy-url": `http://127.0.0.1:${port}` };
  assert.equal(await ask(await openServerConnections(server.kubeconfig(way, { token: "x" }))), { fine: true });
  assert.equal(requests, [new URL(server.url).host]);
  proxy.close();
  await server.close();
});

test(
  "resolves relative paths against the kubeconfig's folder",
  inFolder(async (folder) => {
    const server = await openKubeServer((_asked, response) => answer(response, 200, { fine: true }), tls);
    const authority = { "certificate-authority": "ca.pem", "tls-server-name": "kube.test" };
    const { text } = server.kubeconfig(authority, { tokenFile: "token" });
    const files = { config: text, "ca.pem": CERTIFICATE, token: "of-a-file\n" };
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    assert.equal(await ask(await openServerConnections({ file: join(folder, "config") })), { fine: true });
    assert.is(server.requests[0]!.headers.authorization, "Bearer of-a-file");
    await server.close();
  }),
);

test("gets a token from an exec plugin", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}));
  const credential = JSON.stringify({ status: { token: "from-plugin" } });
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "echo", args: [credential] };
  await ask(await openServerConnections(server.kubeconfig({}, { exec })));
  assert.is(server.requests[0]!.headers.authorization, "Bearer from-plugin");
  await server.close();
});

test("blames the operator for a missing exec plugin", async () => {
  const server = await openKubeServer(() => {});
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "no-such-plugin" };
  const { code, transient, blame } = await refusal(server.kubeconfig({}, { exec }));
  assert.equal([code, transient, blame], ["credentials", true, "operator"]);
  await server.close();
});

test("trusts a private certificate authority from the kubeconfig, with or without a user", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, { fine: true }), tls);
  const authority = { "certificate-authority-data": btoa(CERTIFICATE), "tls-server-name": "kube.test" };
  assert.equal(await ask(await openServerConnections(server.kubeconfig(authority))), { fine: true });
  assert.equal(await ask(await openServerConnections(server.kubeconfig(authority, { token: "x" }))), { fine: true });
  await server.close();
});

test("rejects an unknown certificate authority and blames the operator", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, {}), tls);
  const error = await ask(await openServerConnections(server.kubeconfig())).then(() => null, (error) => error);
  assert.equal([error.code, error.transient, error.blame], ["untrusted", true, "operator"], error.message);
  assert.is(server.requests.length, 0);
  await server.close();
});

test("accepts any certificate with insecure-skip-tls-verify", async () => {
  const server = await openKubeServer((_asked, response) => answer(response, 200, { fine: true }), tls);
  assert.equal(await ask(await openServerConnections(server.kubeconfig({ "insecure-skip-tls-verify": true }))), {
    fine: true,
  });
  await server.close();
});

test("presents a client certificate", async () => {
  const server = await openKubeServer((_asked, response, socket) => {
    const { subject } = (socket as import("node:tls").TLSSocket).getPeerCertificate();
    answer(response, 200, { subject: subject?.CN });
  }, { ...tls, ca: CERTIFICATE, requestCert: true, rejectUnauthorized: false });
  const cluster = { "certificate-authority-data": btoa(CERTIFICATE), "tls-server-name": "kube.test" };
  const user = { "client-certificate-data": btoa(CERTIFICATE), "client-key-data": btoa(CERTIFICATE_KEY) };
  assert.equal(await ask(await openServerConnections(server.kubeconfig(cluster, user))), { subject: "kube.test" });
  await server.close();
});

test.run();
