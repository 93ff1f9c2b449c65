import { readdir, readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import {
  buildMailLink,
  getPublicPageUrl,
  hasOneTimeLink,
  type RenderedMail,
  renderMail,
} from "#lib/drivers/mail/render.ts";
import { HOME, LETTERS, SECRET } from "#test/lib/drivers/mail/letters.ts";

const test = suite("renderMail");
const GOLDEN = new URL("../../../golden/mail/", import.meta.url);

function linkIn({ template }: QueuedMail): string | null {
  return hasOneTimeLink(template) ? buildMailLink(template, HOME, SECRET) : getPublicPageUrl(template, HOME);
}

function write(letter: QueuedMail): RenderedMail {
  return renderMail(letter, HOME, linkIn(letter));
}

const hostile = write(LETTERS.hostile!);

test("renders each email as in the golden files", async () => {
  const all = Object.entries(LETTERS).flatMap(([name, letter]) => {
    const { subject, text, html } = write(letter);
    return [[`${name}.txt`, `Subject: ${subject}\n\n${text}`], [`${name}.html`, html]] as const;
  });
  for (const [name, content] of all) {
    if (process.env.UPDATE_GOLDEN) await writeFile(new URL(name, GOLDEN), content);
    assert.fixture(await readFile(new URL(name, GOLDEN), "utf8"), content, name);
  }
  assert.equal((await readdir(GOLDEN)).sort(), all.map(([name]) => name).sort());
});

test("escapes values", () => {
  const { html } = hostile;
  assert.not.match(html, /<script|<img|onerror=[^&]*>/);
  assert.match(html, /&lt;script&gt;alert\(&quot;x&quot;\)&lt;\/script&gt;/);
  assert.match(html, /&quot;&gt;&lt;img src=x/);
});

test("cleans names", () => {
  for (const part of [hostile.text, hostile.html]) {
    assert.not.match(part, /[\u202a-\u202e\u2066-\u2069]/);
    assert.not.match(part, /\p{M}{5}/u);
    assert.not.match(part, /evil\.example/);
    assert.not.match(part, /https?:\/\/evil/);
    assert.match(part, /مدارس الشمال/);
  }
});

test("keeps the subject on one short line", () => {
  for (const letter of Object.values(LETTERS)) {
    const { subject } = write(letter);
    assert.not.match(subject, /[\p{Cc}]/u);
    assert.ok([...new Intl.Segmenter("en").segment(subject)].length <= 120, subject);
  }
});

test("loads no resources", () => {
  for (const letter of Object.values(LETTERS)) {
    const { html } = write(letter);
    const tags = html.match(/<[a-z][^>]*>/gi)!.join("\n"), sheet = /<style>([\s\S]*)<\/style>/.exec(html)![1]!;
    const addresses = [...tags.matchAll(/\b(?:href|src|srcset|background|action)\s*=\s*["']?([^"'\s>]+)/gi)];
    assert.not.match(tags + sheet, /url\(|@import|<(?:img|link|script|iframe|object|form)\b/i);
    assert.ok(addresses.every(([, address]) => address === linkIn(letter)), letter.template);
  }
});

test("shows the link as a button and as text", () => {
  for (const letter of Object.values(LETTERS).filter((each) => linkIn(each) !== null)) {
    const { text, html } = write(letter);
    assert.is(html.split(`href="${linkIn(letter)}"`).length, 3);
    assert.ok(text.split("\n").includes(linkIn(letter)!));
  }
});

test("shows no text of strangers to unverified addresses", () => {
  const to = { email: "ada@school.example", name: "Win a prize" };
  const { subject, text, html } = write({ ...LETTERS.verification!, to } as QueuedMail);
  assert.not.match(subject + text + html, /prize/);
});

test("wraps lines and shortens long lists", () => {
  const many = LETTERS["invitation-many"]!, { text } = write(many);
  assert.ok(text.split("\n").every((line) => line.length <= 72 || line === linkIn(many)));
  assert.match(text, /- Ash school 10\n- and 3 more\n/);
});

test("announces what ends when, what to do, and the calls of each token", () => {
  const { subject, text } = write(LETTERS.announcement!);
  assert.is(subject, "GET /api/spokes/{spokeId}/activity ends on 21 December 2026");
  assert.match(
    text,
    /- nightly report \(ww_ro_x7Yk…\): 12,345 calls\n- my laptop \(ww_cli_Ab3d…\): 1 call\n- deploy \(ww_prv_q0Zz…\): 0 calls\n/,
  );
});

test("names the first of several changes and counts omitted ones", () => {
  const { subject, text, html } = write(LETTERS["announcement-many"]!);
  assert.is(subject, "5 changes to the API, the first on 31 December 2026");
  assert.match(text, "- and 1,203 more, together: 1 call\n");
  assert.match(text, "For 3 more changes, see the changelog.");
  for (const part of [text, html]) assert.not.match(part, /[\u202a-\u202e]|evil\.example|x{100}/);
  assert.not.match(html, /<img/);
});

test("links to the template's page", () => {
  assert.is(buildMailLink("invitation", HOME, "s-1"), "https://hubs.school.example/invite?token=s-1");
  assert.is(buildMailLink("password-reset", new URL("https://x.example/"), "s"), "https://x.example/reset?token=s");
  assert.is(
    buildMailLink("verification", new URL("http://localhost:3000"), "s"),
    "http://localhost:3000/verify?token=s",
  );
  assert.throws(() => buildMailLink("request-approved", HOME, "s"));
  assert.is(getPublicPageUrl("announcement", new URL("https://x.example")), "https://x.example/changelog");
  assert.is(getPublicPageUrl("invitation", HOME), null);
});

test.run();
