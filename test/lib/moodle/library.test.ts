/** Tests library.php, the server of course packages, with a real PHP over HTTP. Skipped without PHP. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { missingPhpReason } from "#test/support/php.ts";
import { until } from "#test/support/until.ts";
import { authorize, type LibraryServer, startLibrary } from "#test/lib/moodle/library-server.ts";

const test = suite<{ library: LibraryServer }>(
  `library.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`,
);
const inPhp = missingPhpReason === null ? test : test.skip;

if (missingPhpReason === null) {
  test.before.each(async (context) => {
    context.library = await startLibrary({ LIBRARY_LIMIT: "1000000" });
  });
  test.after.each(async ({ library }) => {
    await library.close();
  });
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function put(
  { url }: LibraryServer,
  body: Uint8Array,
  name = "one",
  headers = authorize("PUT", `/uploads/${name}`),
) {
  const response = await fetch(`${url}/uploads/${name}`, { method: "PUT", body: new Uint8Array(body), headers });
  return { status: response.status, body: await response.json() };
}

/** Sends a text over a connection, and returns what the server answers until it closes the connection. */
async function send({ port }: LibraryServer, text: string, end = true): Promise<string> {
  const socket = connect(port, "127.0.0.1"), parts: Uint8Array[] = [];
  socket.on("data", (part) => parts.push(Buffer.from(part)));
  socket.on("error", () => {});
  end ? socket.end(text) : socket.write(text);
  await once(socket, "close");
  return Buffer.concat(parts).toString();
}

function head(path: string, length: string | null, extra = ""): string {
  const { Authorization } = authorize("PUT", path);
  const size = length === null ? "" : `Content-Length: ${length}\r\n`;
  return `PUT ${path} HTTP/1.1\r\nHost: library\r\nAuthorization: ${Authorization}\r\n${size}${extra}\r\n`;
}

inPhp("stores a package under its hash, and serves it", async ({ library }) => {
  const bytes = randomBytes(700_000), sha256 = hash(bytes);
  assert.equal(await put(library, bytes), { status: 201, body: { sha256, bytes: 700_000 } });
  assert.equal(await put(library, bytes, "two"), { status: 201, body: { sha256, bytes: 700_000 } });
  assert.equal(await library.files(), [`${sha256}.mbz`]);
  const path = `/packages/${sha256}`, headers = authorize("GET", path);
  const found = await fetch(library.url + path, { headers });
  assert.equal([found.status, hash(new Uint8Array(await found.arrayBuffer()))], [200, sha256]);
  const size = await fetch(library.url + path, { headers, method: "HEAD" });
  assert.equal([size.status, size.headers.get("content-length"), await size.text()], [200, "700000", ""]);
});

inPhp("answers 404 for a package that it does not have and for other addresses", async ({ library }) => {
  const path = `/packages/${"0".repeat(64)}`;
  assert.is((await fetch(library.url + path, { headers: authorize("GET", path) })).status, 404);
  for (const other of ["/", "/packages/x", "/uploads/UP", "/packages/../etc/passwd", `/uploads/${"a".repeat(65)}`]) {
    assert.match(await send(library, `GET ${other} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 404 /, other);
  }
  assert.match(await send(library, `DELETE ${path} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 405 /);
  assert.match(await send(library, "PUT /healthz HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 405 /);
  assert.match(await send(library, "no request\r\n\r\n"), /^HTTP\/1\.1 400 /);
  assert.is((await fetch(`${library.url}/healthz`)).status, 200);
});

inPhp("refuses a request without its own ticket before it reads the body", async ({ library }) => {
  const bytes = randomBytes(10);
  for (
    const headers of [{}, authorize("GET", "/uploads/one"), authorize("PUT", "/uploads/two"), {
      Authorization: `Ticket 99999999999.${"0".repeat(64)}`,
    }]
  ) {
    assert.is((await put(library, bytes, "one", headers as { Authorization: string })).status, 401);
  }
  assert.is((await put(library, bytes, "one", authorize("PUT", "/uploads/one", -2))).status, 403);
  const early = await send(library, "PUT /uploads/one HTTP/1.1\r\nContent-Length: 900000\r\n\r\n");
  assert.match(early, /^HTTP\/1\.1 401 /, "the body was never sent");
  assert.equal(await library.files(), []);
});

inPhp("refuses a body that is too large or has no length", async ({ library }) => {
  assert.is((await put(library, randomBytes(1_000_001))).status, 413);
  assert.match(await send(library, head("/uploads/one", null)), /^HTTP\/1\.1 411 /);
  assert.match(await send(library, head("/uploads/one", null, "Transfer-Encoding: chunked\r\n")), /^HTTP\/1\.1 411 /);
  for (const length of ["0", "-1", "1e3", "5\r\nContent-Length: 6"]) {
    assert.match(await send(library, head("/uploads/one", length)), /^HTTP\/1\.1 400 /, length);
  }
  assert.match(await send(library, `GET /${"a".repeat(9000)}`), /^HTTP\/1\.1 431 /);
  assert.equal(await library.files(), []);
});

inPhp("keeps nothing of an upload that ends early", async ({ library }) => {
  const socket = connect(library.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(head("/uploads/one", "1000") + "abc");
  await until(async () => (await library.files()).some((name) => name.startsWith(".upload-one-")));
  socket.destroy();
  await until(async () => (await library.files()).length === 0);
});

inPhp("refuses a package that does not fit on the disk", async () => {
  const library = await startLibrary({ LIBRARY_LIMIT: "900000000000000" });
  try {
    const answer = await send(library, head("/uploads/one", "800000000000000"));
    assert.match(answer, /^HTTP\/1\.1 507 [\s\S]*"error":"The disk of the library is full/);
    assert.equal(await library.files(), []);
  } finally {
    await library.close();
  }
});

inPhp("serves others while an upload and a download stand still", async ({ library }) => {
  const bytes = randomBytes(900_000), sha256 = hash(bytes), path = `/packages/${sha256}`;
  await put(library, bytes);
  const upload = connect(library.port, "127.0.0.1"), download = connect(library.port, "127.0.0.1");
  upload.write(head("/uploads/slow", "1000") + "abc");
  download.pause();
  download.write(`GET ${path} HTTP/1.1\r\nAuthorization: ${authorize("GET", path).Authorization}\r\n\r\n`);
  await until(async () => (await library.files()).length === 2);
  assert.is((await put(library, randomBytes(10), "two")).status, 201);
  upload.destroy();
  download.destroy();
});

inPhp("needs little memory for a large package", async () => {
  const library = await startLibrary();
  try {
    const bytes = new Uint8Array(200_000_000), sha256 = hash(bytes), path = `/packages/${sha256}`;
    assert.is((await put(library, bytes)).status, 201);
    const found = await fetch(library.url + path, { headers: authorize("GET", path) });
    let count = 0;
    for await (const part of found.body!) count += part.length;
    assert.is(count, bytes.length);
    const status = await readFile(`/proc/${library.pid}/status`, "utf8").catch(() => "VmHWM: 0 kB");
    assert.ok(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) < 100_000, "at most 100 MB");
  } finally {
    await library.close();
  }
});

inPhp("removes temporary files that are over a day old when it starts", async ({ library }) => {
  const old = join(library.directory, ".upload-a-1"), recent = join(library.directory, ".upload-b-1");
  await writeFile(old, "a");
  await writeFile(recent, "b");
  await utimes(old, 1, 1);
  const second = await startLibrary({ LIBRARY_DIR: library.directory });
  try {
    await until(async () => (await library.files()).join() === ".upload-b-1");
  } finally {
    await second.close();
  }
});

test.run();
