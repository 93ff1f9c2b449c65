/** Tests what the three pages for mailed links share, without JavaScript. */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LinkPurpose } from "#lib/domains/auth/one-time-tokens.ts";
import { createLog } from "#lib/base/log.ts";
import { manifest } from "#src/manifest.ts";
import { openServer } from "#src/server.ts";
import { type MailLinkFlows, openMailLinkFlows } from "#test/support/mail-link-flows.ts";
import { attribute, parseHtmlForm, submissionOf, textOf } from "#test/support/html-form.ts";
import { addSpokeAdmin, createTestUser, type TestUser } from "#test/support/users.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const PAGES: readonly (readonly [path: string, purpose: LinkPurpose])[] = [
  ["/invite", "invitation"],
  ["/reset", "password_reset"],
  ["/verify", "email_verification"],
];
const NEW = "a wholly new password";

const test = suite<{ flows: MailLinkFlows; people: Map<LinkPurpose, TestUser> }>("pages of emailed links");

test.before(async (context) => {
  context.flows = await openMailLinkFlows({ PORTAL: "off", PUBLIC_URL: "https://hubs.example.org" });
  context.people = new Map();
  for (const [, purpose] of PAGES) {
    const person = await createTestUser(context.flows.db, purpose, { verified: purpose === "password_reset" });
    context.people.set(purpose, person);
  }
});
test.after(({ flows }) => flows.close());

/** The page by state. */
async function* states(flows: MailLinkFlows, people: Map<LinkPurpose, TestUser>) {
  for (const [path, purpose] of PAGES) {
    const url = `${path}?token=${await flows.link(purpose, people.get(purpose)!)}`;
    const form = await flows.send(url);
    yield { state: `${path} form`, status: 200, page: form };
    yield {
      state: `${path} error`,
      status: 400,
      page: await flows.send(...submissionOf(form.body, { password: "short" })),
    };
    yield { state: `${path} done`, status: 200, page: await flows.send(...submissionOf(form.body, { password: NEW })) };
    yield { state: `${path} spent`, status: 422, page: await flows.send(url) };
    yield { state: `${path} refused`, status: 415, page: await flows.send(path, { method: "POST", body: "{}" }) };
  }
}

test("are complete in each state, and load nothing from elsewhere", async ({ flows, people }) => {
  for await (const { state, status, page } of states(flows, people)) {
    const { headers, body: html } = page;
    assert.is(page.status, status, state);
    assert.is(headers.get("content-type"), "text/html; charset=utf-8", state);
    assert.is(headers.get("cache-control"), "no-store", state);
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)![1]!;
    const policy = headers.get("content-security-policy")!;
    assert.match(policy, `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`);
    for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert.match(policy, part, state);
    }
    assert.not.match(html, /<script|\son\w+=|\sstyle=|https?:\/\/(?!hubs\.example\.org|www\.w3\.org)/);
    assert.match(html, '<html lang="en">');
    assert.match(html, /<title>[^<]+ · Wheelwright<\/title>/);
    assert.is([...html.matchAll(/<h1\b/g)].length, 1, state);
    assert.is([...html.matchAll(/<main\b/g)].length, 1, state);
    assert.not.match(html, /undefined|\[object|NaN/);
  }
});

test("label every field, and show problems at the field", async ({ flows, people }) => {
  for await (const { state, page: { body: html } } of states(flows, people)) {
    if (!/ (form|error)$/.test(state)) continue;
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
    assert.is(new Set(ids).size, ids.length, "no id twice");
    for (const [tag] of html.matchAll(/<input\b[^>]*>/g)) {
      if (attribute(tag, "type") === "hidden" || attribute(tag, "aria-hidden") === "true") continue;
      assert.match(html, `<label for="${attribute(tag, "id")}">`, state);
      assert.ok(attribute(tag, "autocomplete"), state);
      for (const id of attribute(tag, "aria-describedby")?.split(" ") ?? []) assert.ok(ids.includes(id), id);
    }
    const { password = "" } = parseHtmlForm(html).tags;
    assert.equal(
      [attribute(password, "autocomplete"), attribute(password, "minlength"), attribute(password, "value")],
      ["new-password", "12", null],
    );
    const wrong = state.endsWith("error");
    assert.is(attribute(password, "aria-invalid"), wrong ? "true" : null, state);
    assert.is(/role="alert"/.test(html), wrong, state);
    if (wrong) assert.match(html, /id="password-problem">The password must have 12 to 256 characters\./);
  }
});

test("keep their token out of referrers, logs and links", async ({ flows }) => {
  const lines: string[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const server = openServer({ ...flows.app, log }, manifest, { isSchedulerReady: () => true });
  for (const [path, purpose] of PAGES) {
    const token = await flows.link(purpose, await createTestUser(flows.db, `quiet-${purpose}`, { verified: false }));
    const url = `https://hubs.example.org${path}?token=${token}`;
    const page = await server.request(new Request(url));
    assert.is(page.headers.get("referrer-policy"), "strict-origin");
    const html = await page.text();
    assert.is(html.split(token).length - 1, 1, "only in the form's own field");
    const [action, init] = submissionOf(html, { password: NEW });
    const done = await server.request(new Request(`https://hubs.example.org${action}`, init));
    assert.is(done.status, 200);
    assert.not.match(await done.text(), token);
    assert.ok(lines.some((line) => line.includes(`GET ${path}`)));
    assert.not.match(lines.join("\n"), token);
    assert.not.match(lines.join("\n"), NEW);
  }
});

test("link to the user's sites and explain how to sign in to them", async ({ flows }) => {
  const { db, scene } = flows;
  for (const [path, purpose] of PAGES) {
    const person = await createTestUser(db, `site-${purpose}`, { verified: purpose === "password_reset" });
    const done = async () => {
      const form = await flows.send(`${path}?token=${await flows.link(purpose, person)}`);
      assert.not.match(form.body, "<a href=", `${path} leads nowhere before`);
      const page = await flows.send(...submissionOf(form.body, { password: NEW }));
      assert.is(page.status, 200);
      return page;
    };
    const open = await insertSpoke(db, scene.people.operator.id, scene.hub, `open-${path.slice(1)}`);
    await updateRows(db, "spokes", {
      state: "active",
      readyAt: NOW,
      displayName: "<b>Ash</b>",
      blueprintInputs: '{"https": true}',
    }, { id: open });
    await addSpokeAdmin(db, person, open);
    const [{ domain }] = await selectRows(db, "spokes", { id: open }, { columns: ["domain"] });
    const page = await done();
    assert.match(page.body, `<li>&lt;b&gt;Ash&lt;/b&gt; <a href="https://${domain}">${domain}</a></li>`);
    assert.match(textOf(page), `POST https://hubs.example.org/api/spokes/${open}/sign-in-link`);
    assert.match(textOf(page), "POST https://hubs.example.org/api/auth/login");

    await db.sql("update users set email_verified_at = null where id = $1 and $2", [
      person.id,
      purpose !== "password_reset",
    ]);
    const closed = await insertSpoke(db, scene.people.operator.id, scene.hub, `closed-${path.slice(1)}`);
    await addSpokeAdmin(db, person, closed);
    const both = await done();
    assert.match(textOf(both), /closed-\w+ [\w.]+, not available now/);
    assert.match(textOf(both), "POST https://hubs.example.org/api/spokes/SPOKE_ID/sign-in-link");
  }
});

test("do not use up the link when they are read", async ({ flows }) => {
  for (const [path, purpose] of PAGES) {
    const token = await flows.link(purpose, await createTestUser(flows.db, `looked-${purpose}`, { verified: false }));
    for (let i = 0; i < 5; i++) assert.is((await flows.send(`${path}?token=${token}`)).status, 200);
    assert.is((await flows.send(`${path}?token=${token}&utm_source=mail`, { method: "HEAD" })).status, 200);
    const form = await flows.send(`${path}?token=${token}`);
    assert.is((await flows.send(...submissionOf(form.body, { password: NEW }))).status, 200);
  }
});

test("reject forms from other sites", async ({ flows }) => {
  for (const [path, purpose] of PAGES) {
    const eve = await createTestUser(flows.db, `eve-${purpose}`, { verified: false });
    const form = await flows.send(`${path}?token=${await flows.link(purpose, eve)}`);
    for (
      const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }, { origin: "null" }]
    ) {
      const refused = await flows.send(
        ...submissionOf(form.body, { password: NEW }, headers as Record<string, string>),
      );
      assert.is(refused.status, 403);
      assert.match(textOf(refused), "No changes were made");
    }
    const own = { origin: "https://hubs.example.org", "sec-fetch-site": "same-origin" };
    assert.is((await flows.send(...submissionOf(form.body, { password: NEW }, own))).status, 200);
  }
});

test("show the same page for every invalid link", async ({ flows }) => {
  for (const [path, purpose] of PAGES) {
    const gone = await createTestUser(flows.db, `gone-${purpose}`, { disabled: true });
    const tokens = ["", "x", "%00", "<script>", "A".repeat(5000), await flows.link(purpose, gone)];
    const pages = [await flows.send(path)];
    for (const token of tokens) {
      pages.push(await flows.send(`${path}?token=${token.startsWith("%") ? token : encodeURIComponent(token)}`));
    }
    for (const token of tokens) {
      const body = new URLSearchParams({ token, password: NEW }).toString();
      pages.push(
        await flows.send(path, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body,
        }),
      );
    }
    for (const page of pages) {
      assert.is(page.status, 422);
      assert.is(page.body, pages[0]!.body);
      assert.match(textOf(page), "This link no longer works");
    }
  }
});

test.run();
