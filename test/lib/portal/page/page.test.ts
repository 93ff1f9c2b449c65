/** Tests what pages and forms share: the frame, flash messages and refused forms. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { type RefusedSubmission, renderPostForm } from "#lib/portal/components/forms.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { formAction, formSchema, portalPage } from "#lib/portal/page/page.ts";
import { scriptPath } from "#lib/portal/page/asset.ts";
import { manifest } from "#src/manifest.ts";
import { createTestSession, createTestUser } from "#test/support/users.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene, type SceneOptions } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const HOSTILE = `<script>alert(1)</script>"'&`;

function form(submission?: RefusedSubmission): PageView {
  const password = { name: "password", label: "Password", type: "password", required: true } as const;
  return {
    title: HOSTILE,
    section: "hubs",
    body: renderPostForm({ action: "/try", button: "Try", submission }, { name: "slug", label: "Name" }, password),
  };
}

/** The fault of the form, or null to accept it. */
let refusal: Error | null = null;

const made: SceneOptions["manifest"] = [...manifest, ["/try", {
  GET: portalPage({ summary: "A form", show: () => form() }),
  POST: formAction({
    summary: "What it does",
    body: formSchema("slug", "password"),
    submit() {
      if (refusal) throw refusal;
      return Promise.resolve({ to: "/try?done=changed" });
    },
    onRefusal: (_, submission) => form(submission),
  }),
}]];

const test = suite<{ scene: Scene }>("a page of the portal");
test.before(async (context) => void (context.scene = await openScene({ manifest: made })));
test.after(({ scene }) => scene.close());
test.before.each(() => void (refusal = null));

test("shows the user and the navigation of their role", async ({ scene }) => {
  const places = async (who: "operator" | "spokeAdmin") =>
    (await parsePage(scene, "/try", who)).part("navigation", "Main").all("link").map((name) =>
      name.replace(/\d.*/, "")
    );
  const own = await places("spokeAdmin"), operators = await places("operator");
  assert.equal(["Hubs", "API tokens", "Audit", "Users"].map((name) => own.includes(name)), [true, true, false, false]);
  assert.ok(["Hubs", "API tokens", "Audit", "Users"].every((name) => operators.includes(name)));
});

test("escapes all text from users", async ({ scene }) => {
  const person = await createTestUser(scene.db, "hostile", { operator: true });
  await updateRows(scene.db, "users", { displayName: HOSTILE }, { id: person.id });
  const page = await parsePage(scene, "/try", {
    cookie: `wheelwright=${(await createTestSession(scene.db, person)).secret}`,
  });
  assert.not.match(page.html, "<script>alert");
  assert.ok(page.part("banner").text.includes(HOSTILE));
  assert.is(page.part("heading").text, HOSTILE);
});

test("allows only the portal's own style sheet and script", async ({ scene }) => {
  const { headers, html } = await parsePage(scene, "/try", "operator");
  const policy = headers.get("content-security-policy")!.split("; ");
  assert.equal(policy.map((part) => part.replace(/sha256-[^']+/, "…")), [
    ...["default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'", "img-src data:"],
    ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
  ]);
  assert.equal([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag), [`<script src="${scriptPath}" defer>`]);
  assert.is(headers.get("cache-control"), "private, no-cache");
});

test("shows a flash message only for a known word in the URL", async ({ scene }) => {
  const done = await (await parsePage(scene, "/try", "operator")).submit("Try");
  assert.equal([done.status, done.path], [200, "/try?done=changed"]);
  assert.is(done.part("main").all("status").length, 1);
  for (const word of ["nothing", "constructor", "__proto__", encodeURIComponent(HOSTILE)]) {
    const other = await parsePage(scene, `/try?done=${word}`, "operator");
    assert.equal([other.status, other.part("main").all("status").length], [200, 0], word);
  }
});

test("shows a refused form with its values, without the password, and the problem at its field", async ({ scene }) => {
  refusal = new Fault("invalid", "invalid_input", "slug must be shorter", { fields: { slug: "must be shorter" } });
  const onRefusal = await (await parsePage(scene, "/try", "operator")).submit("Try", {
    Name: HOSTILE,
    Password: "hunter2",
  });
  assert.is(onRefusal.status, 400);
  const { value, wrong, description } = onRefusal.field("Name");
  assert.equal([value, wrong, description], [HOSTILE, true, "Name must be shorter."]);
  assert.equal([onRefusal.field("Password").value, onRefusal.field("Password").wrong], ["", false]);
  assert.not.match(onRefusal.html, "hunter2");
  assert.ok(onRefusal.has("alert", /Correct the marked fields/));
});

test("shows a fault at the field that its code belongs to", async ({ scene }) => {
  refusal = new Fault("conflict", "slug_taken", "The slug north is taken");
  const onRefusal = await (await parsePage(scene, "/try", "operator")).submit("Try");
  assert.equal([onRefusal.status, onRefusal.field("Name").wrong], [409, true]);
  assert.is(onRefusal.field("Name").description, "The slug north is taken.");
});

test("shows other faults above the form, with the API's status and headers", async ({ scene }) => {
  refusal = new Fault("limited", "too_many", "Too many of these", { retryAfter: 7 });
  const onRefusal = await (await parsePage(scene, "/try", "operator")).submit("Try");
  assert.equal([onRefusal.status, onRefusal.headers.get("retry-after")], [429, "7"]);
  assert.is(onRefusal.part("alert").text, "Too many of these.");
});

test("shows an internal error without its details", async ({ scene }) => {
  refusal = new Error("the secret inside");
  const failed = await (await parsePage(scene, "/try", "operator")).submit("Try");
  assert.is(failed.status, 500);
  assert.not.match(failed.html, "secret inside");
  assert.equal([failed.part("heading").text, failed.link("Go to your hubs")], [
    "Something went wrong",
    "/hubs",
  ]);
});

test.run();
