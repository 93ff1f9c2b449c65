import { suite } from "uvu";
import * as assert from "uvu/assert";
import { renderPostForm } from "#lib/portal/components/forms.ts";
import { textOf } from "#test/support/html-form.ts";

const test = suite("a refused form");

const message = "slug must be text; federationRequest.slug is missing";

function renderForm(problems: Readonly<Record<string, string>>): string {
  const submission = { values: { slug: "North" }, message, problems };
  const form = renderPostForm({ action: "/", button: "Go", submission }, { name: "slug", label: "Slug" });
  return textOf({ body: form.toString() });
}

test("shows the problem at its field", () => {
  const text = renderForm({ slug: "must be text" });
  assert.match(text, "Your input was not saved. Correct the marked fields.");
  assert.match(text, "Slug must be text.");
  assert.not.match(text, message);
});

test("shows the full message if a refused field is not in the form, or no field is named", () => {
  assert.match(renderForm({ slug: "must be text", "federationRequest.slug": "is missing" }), `${message}.`);
  assert.match(renderForm({}), `${message}.`);
});

test.run();
