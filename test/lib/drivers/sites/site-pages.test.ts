/** Requests for pages of sites that work, fail or attack the control plane. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer as createSecureServer } from "node:https";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LOGIN_PAGE_MARKER } from "#lib/domains/availability/login-page.ts";
import type { PageAnswer } from "#lib/drivers/sites/page-answer.ts";
import { openSitePages, type SitePages } from "#lib/drivers/sites/site-pages.ts";
import { tlsFile } from "#test/support/secure-server.ts";
import { rejection } from "#test/support/until.ts";

interface Context {
  server: Server;
  port: number;
  pages: SitePages;
  respond: (request: IncomingMessage, response: ServerResponse) => void;
  requests: string[];
  /** The number of bytes that the server wrote. */
  written: number;
}

const test = suite<Context>("SitePages");
const NEVER = new AbortController().signal, NO_DNS = { texts: async () => [], addresses: async () => [] };
const LOGIN = '<html><body id="page-login-index">';

test.before(async (context) => {
  context.server = createServer((request, response) => {
    context.requests.push(`${request.headers.host}${request.url}`);
    context.respond(request, response);
  });
  await new Promise<void>((resolve) => context.server.listen(0, "127.0.0.1", resolve));
  context.port = (context.server.address() as AddressInfo).port;
});
test.before.each((context) => {
  context.requests = [];
  context.written = 0;
  context.pages = openSitePages({
    dns: NO_DNS,
    localPort: context.port,
    timeoutMs: 1000,
  });
});
test.after.each(({ pages }) => pages.close());
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

const open = ({ pages }: Pick<Context, "pages">, url = "http://oak.example/login/index.php"): Promise<PageAnswer> => {
  const readIngressAddresses = async () => [];
  return pages.request({ url: new URL(url), marker: LOGIN_PAGE_MARKER, readIngressAddresses }, NEVER);
};
const answered = (more: object) => ({
  ...{ outcome: "answered", status: 200, location: null, cookies: [], hasMarker: false, certificateEndsAt: null },
  ...more,
});

test("finds the marker, also across two chunks, and sends the site's host name", async (context) => {
  context.respond = (_, response) => {
    response.write(`${" ".repeat(1000)}<body id="page-lo`);
    setImmediate(() => response.end('gin-index">'));
  };
  assert.equal(await open(context), answered({ hasMarker: true }));
  assert.equal(context.requests, ["oak.example/login/index.php"]);
});

test("stops reading a page that never ends", async (context) => {
  context.respond = (_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(1024))) context.written += 1024;
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
  assert.equal(await open(context), answered({}));
  assert.ok(context.written < 16 * 1024 * 1024, `${context.written} bytes were sent`);
});

test("gives up after the time limit on a page that arrives byte by byte, or not at all", async (context) => {
  for (const how of ["trickle", "hang"]) {
    context.respond = (_, response) => {
      if (how === "hang") return;
      response.writeHead(200);
      const timer = setInterval(() => response.write("x"), 10);
      response.on("close", () => clearInterval(timer));
    };
    assert.equal(await open(context), { outcome: "silent", reason: "did not respond within 1 s" }, how);
  }
});

test("does not request the target of a redirect to another host", async (context) => {
  for (
    const location of [
      ...["http://169.254.169.254/latest/meta-data/", "//169.254.169.254/", "https://evil.example/login/index.php"],
      ...[`http://127.0.0.1:${context.port}/`, "http://oak.example:6443/api", "file:///etc/passwd", "http://[::1]/"],
    ]
  ) {
    context.requests.length = 0;
    context.respond = (_, response) => void response.writeHead(302, { location }).end();
    assert.equal(await open(context), answered({ status: 302, location }));
    assert.is(context.requests.length, 1, location);
  }
});

test("follows a few redirects to the same host", async (context) => {
  context.respond = ({ url }, response) => {
    if (url === "/login/index.php") response.writeHead(303, { location: "/login/index.php?lang=de" }).end();
    else response.end(LOGIN);
  };
  assert.equal(await open(context), answered({ hasMarker: true }));
  context.respond = ({ url }, response) => void response.writeHead(303, { location: url! }).end();
  context.requests.length = 0;
  assert.equal(await open(context), answered({ status: 303, location: "/login/index.php" }));
  assert.is(context.requests.length, 4);
});

test("reports a closed connection and a cut response", async (context) => {
  const reason = "closed the connection before its response was complete";
  context.respond = (_, response) => void response.destroy();
  assert.equal(await open(context), { outcome: "silent", reason });
  context.respond = (_, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("x", () => response.destroy());
  };
  assert.equal(await open(context), { outcome: "silent", reason });
});

test("does not read the page of an error", async (context) => {
  context.respond = (_, response) => void response.writeHead(500, { "set-cookie": "a=b" }).end(LOGIN);
  assert.equal(await open(context), answered({ status: 500, cookies: ["a=b"] }));
});

test("reports a refused connection", async () => {
  const pages = openSitePages({ dns: NO_DNS, localPort: 9, timeoutMs: 1000 });
  assert.equal(await open({ pages }), { outcome: "unconnected", reason: "refused the connection" });
  pages.close();
});

test("looks up the host, and connects only to addresses that it may use", async (context) => {
  const looked: string[] = [];
  let ingressReads = 0;
  const request = (addresses: () => Promise<string[]>, ingress: readonly string[]) => {
    const dns = { ...NO_DNS, addresses: (name: string) => (looked.push(name), addresses()) };
    const pages = openSitePages({ dns, localPort: null, timeoutMs: 1000 });
    const readIngressAddresses = () => Promise.resolve((ingressReads++, ingress));
    const url = new URL(`http://oak.example:${context.port}/`);
    return pages.request({ url, marker: LOGIN_PAGE_MARKER, readIngressAddresses }, NEVER).finally(pages.close);
  };
  const refused = "its host name has only private addresses that are not the ingress's";
  for (const address of ["127.0.0.1", "169.254.169.254", "::1", "10.0.0.1"]) {
    assert.equal(await request(() => Promise.resolve([address]), ["127.0.0.1", "169.254.169.254", "::1"]), {
      ...{ outcome: "unconnected", reason: refused },
    });
  }
  assert.is(ingressReads, 4);
  assert.equal(looked, Array.from({ length: 4 }, () => "oak.example"));
  assert.equal(context.requests, []);
  assert.equal(await request(() => Promise.resolve([]), []), {
    ...{ outcome: "unconnected", reason: "its host name has no DNS record" },
  });
  assert.is((await request(() => Promise.reject(new Error("SERVFAIL")), [])).outcome, "unchecked");
});

test("limits how many requests run at the same time", async (context) => {
  const pages = openSitePages({
    ...{ dns: NO_DNS, localPort: context.port, timeoutMs: 5000, concurrency: 3 },
  });
  let running = 0, most = 0;
  context.respond = (_, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.end(LOGIN);
    }, 20);
  };
  await Promise.all(Array.from({ length: 12 }, () => open({ pages })));
  assert.is(most, 3);
  pages.close();
});

test("stops when the caller aborts", async (context) => {
  const abort = new AbortController(), reason = new Error("the job was stopped");
  context.respond = () => abort.abort(reason);
  const page = { url: new URL("http://oak.example/"), marker: LOGIN_PAGE_MARKER, readIngressAddresses: async () => [] };
  assert.is(await rejection(context.pages.request(page, abort.signal)), reason);
});

test("reads when the certificate ends, and does not accept one from an unknown authority", async () => {
  const [key, cert, ca] = await Promise.all(
    ["server.key", "server.crt", "ca.crt"].map((name) => readFile(tlsFile(name), "utf8")),
  );
  const secure = createSecureServer({ key: key!, cert: cert! }, (_, response) => void response.end(LOGIN));
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
  const { port } = secure.address() as AddressInfo, url = "https://localhost/login/index.php";
  const pages = openSitePages({ dns: NO_DNS, localPort: port, timeoutMs: 5000, ca: ca! });
  const certificateEndsAt = new Date(new X509Certificate(cert!).validTo);
  assert.equal(await open({ pages }, url), answered({ hasMarker: true, certificateEndsAt }));
  const next = await open({ pages }, url) as { readonly certificateEndsAt: Date | null };
  assert.ok(next.certificateEndsAt === null || next.certificateEndsAt.getTime() === certificateEndsAt.getTime());
  pages.close();
  const strangers = openSitePages({ dns: NO_DNS, localPort: port, timeoutMs: 5000 });
  const reason = "has a certificate that is not valid";
  assert.equal(await open({ pages: strangers }, url), { outcome: "unconnected", reason });
  strangers.close();
  secure.closeAllConnections();
  secure.close();
});

test.run();
