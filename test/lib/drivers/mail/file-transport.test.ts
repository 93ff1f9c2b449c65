import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Mail, MailError } from "#lib/drivers/mail/transport.ts";
import { buildMailFileName, openFileTransport } from "#lib/drivers/mail/file-transport.ts";
import { parseMime } from "#test/support/parse-mime.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ directory: string }>("openFileTransport");
const LINK = `https://hubs.example.org/invite?token=${"x".repeat(43)}`;
const never = new AbortController().signal;

const mail: Mail = {
  id: "op_abc123@hubs.example.org",
  template: "invitation",
  to: { email: "ada@example.org", name: "Ada" },
  subject: "Hello",
  text: `Grüße, ${LINK}`,
  html: "<p>Grüße</p>",
  link: LINK,
};

test.before.each(async (context) => void (context.directory = await mkdtemp(join(tmpdir(), "wheelwright-mail-"))));
test.after.each(({ directory }) => rm(directory, { recursive: true }));

test("writes an .eml file with a visible link", async ({ directory }) => {
  const folder = join(directory, "new", "mail");
  const { file } = await openFileTransport(folder, "hubs.example.org").send(mail, never);
  const raw = await readFile(file!, "utf8"), { headers, text, html } = parseMime(raw);
  assert.is(headers.to, "Ada <ada@example.org>");
  assert.is(headers["message-id"], "<op_abc123@hubs.example.org>");
  assert.is(text, mail.text);
  assert.is(html, mail.html);
  assert.ok(raw.split(/\r?\n/).some((line) => line.endsWith(LINK)));
  assert.is((await stat(file!)).mode & 0o777, 0o600);
  assert.is((await stat(folder)).mode & 0o777, 0o700);
  assert.equal(await readdir(folder), [file!.slice(folder.length + 1)]);
});

test("names files so that they sort by time and stay in the folder", () => {
  const at = new Date("2026-11-21T15:04:05.678Z");
  assert.is(buildMailFileName(mail, at), "2026-11-21T15-04-05-678Z-invitation-ada@example.org-abc123.eml");
  for (const email of ["../../x@example.org", "a/b\\c@example.org", "..@..", "ada@bücher.example", "x".repeat(400)]) {
    const name = buildMailFileName({ ...mail, to: { email, name: "" } }, at);
    assert.match(name, /^[\w@.+-]{1,160}\.eml$/);
    assert.not.match(name, /\.\./);
  }
  assert.is.not(buildMailFileName(mail, at), buildMailFileName({ ...mail, id: "op_abc124@hubs.example.org" }, at));
});

test("reports why a file cannot be written", async ({ directory }) => {
  const taken = join(directory, "mail");
  await writeFile(taken, "");
  const error = await rejection(openFileTransport(taken, "localhost").send(mail, never)) as MailError;
  assert.is(error.code, "mail_file");
  assert.is(error.transient, true);
  assert.match(error.message, "EEXIST");
});

test.run();
