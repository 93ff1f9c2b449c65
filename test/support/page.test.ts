import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PASSWORD } from "#test/support/users.ts";
import { type Page, parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("parsePage");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

/** Returns a page with the HTML `body`, and a list of the requests that the page's forms send. */
async function pageOf(body: string): Promise<{ page: Page; sent: [path: string, init: RequestInit | undefined][] }> {
  const sent: [string, RequestInit | undefined][] = [], status = 200, headers = new Headers();
  const send = (path: string, init?: RequestInit) => {
    sent.push([path, init]);
    return Promise.resolve({ status, headers, body: `<!doctype html><title>T</title><body>${body}` });
  };
  const as = () => {
    throw new Error("This scene has no users");
  };
  return { page: await parsePage({ send, as }, "/here?x=1", { cookie: "" }), sent };
}

test("signs in with the form, follows the redirect, and keeps the session", async ({ scene }) => {
  const door = await parsePage(scene, "/hubs");
  assert.equal([door.status, door.part("heading").text, door.cookie], [401, "Sign in", ""]);
  const { email } = scene.people.operator;
  const hubs = await door.submit("Sign in", { "Email address": email, Password: PASSWORD });
  assert.equal([hubs.status, hubs.path, hubs.part("heading", "Hubs").text], [200, "/hubs", "Hubs"]);
  assert.match(hubs.cookie, /^wheelwright=/);
  const hub = await hubs.part("listitem", /north/).follow("north");
  assert.equal([hub.status, hub.part("main").has("heading", "north")], [200, true]);
  const out = await hub.submit("Sign out");
  assert.equal([out.path, out.cookie], ["/sign-in", ""]);
});

test("finds visible elements by role and accessible name", async () => {
  const { page } = await pageOf(
    `<main><h1>A <b>title</b></h1><a href="/a"><svg aria-hidden="true"><title>Sign</title></svg>
    <span>Go</span> on</a><a href="/b" hidden>Hidden</a><ul><li>One<p>more</p></li></ul><div role="alert">Wrong</div>
    <table><tr><th>Name</th></tr><tr><td>oak</td></tr></table></main>`,
  );
  assert.equal([page.title, page.link("Go on"), page.link(/^Go/)], ["T", "/a", "/a"]);
  assert.equal(page.all("link"), ["Go on"]);
  assert.equal([page.part("alert").text, page.all("listitem")], ["Wrong", ["One more"]]);
  assert.equal(page.table(), [["Name"], ["oak"]]);
  assert.throws(() => page.link("Hidden"), /Found 0 times link Hidden; the page has:\n {2}Go on/);
});

test("reads a field's label, value and error", async () => {
  const { page } = await pageOf(`<form><label for="a">Slug <span>optional</span></label>
    <input id="a" name="slug" value="x" aria-invalid="true" aria-describedby="p"><p id="p">This is taken.</p>
    <label for="s">Size</label><select id="s" name="size"><option value="s">Small<option value="m" selected>Middle</select></form>`);
  const { value, wrong, description, required } = page.field("Slug");
  assert.equal([value, wrong, description, required], ["x", true, "This is taken.", false]);
  assert.equal([page.field("Size").value, page.field("Size").options], ["m", ["Small", "Middle"]]);
});

test("submits the same request as a browser, and rejects unknown fields", async () => {
  const { page, sent } = await pageOf(`<form method="post" action="/there"><input type="hidden" name="key" value="k">
    <label>Name <input name="name"></label><label><input type="checkbox" name="c" value="on"> Tick</label>
    <label><input type="checkbox" name="d" value="on"> Leave</label>
    <label>Size <select name="size"><option value="s">S<option value="m">M</select></label>
    <button name="preview" value="yes">Show</button><button>Make</button></form>
    <form><label>Search <input name="q"></label><button>Search</button></form>`);
  await page.submit("Show", { Name: "<b>", Tick: true, Size: "m" });
  const [path, init] = sent.at(-1)!;
  assert.equal([path, init?.method, init?.body], ["/there", "POST", "key=k&name=%3Cb%3E&c=on&size=m&preview=yes"]);
  await page.submit("Search", { q: "oak" });
  assert.equal([sent.at(-1)![0], sent.at(-1)![1]?.method], ["/here?q=oak", undefined]);
  await rejects(page.submit("Make", { Size: "xl" }), /has no option xl; its options are: s, m/);
  await rejects(page.submit("Make", { key: "other" }), /0 times field key/);
});

async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const message = await promise.then(() => "nothing", (error: Error) => error.message);
  assert.match(message, pattern);
}

test.run();
