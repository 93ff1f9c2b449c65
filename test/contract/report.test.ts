import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportContract } from "#test/contract/report.ts";
import {
  CHECK_DATE,
  cloneDocument,
  findBreaks,
  type Json,
  loadCurrentDocument,
  surfaceIn,
} from "#test/support/contract.ts";

const test = suite("reportContract, on the current document");

const present = loadCurrentDocument();

async function report(
  change: (copy: Json) => void,
  declare: (document: Json) => void = () => undefined,
): Promise<string> {
  const before = cloneDocument(await present, declare);
  const endpoints = surfaceIn(before).endpoints.size;
  const text = reportContract(findBreaks(before, change), { endpoints, today: CHECK_DATE });
  return text.replaceAll(String(endpoints), "ALL"); // the number grows with each release
}

const LAST = "No breaking changes in the ALL endpoints of the last release";

test("reports that nothing breaks", async () => {
  assert.is(await report(() => undefined), `${LAST}\n`);
});

test("reports what breaks, where, for whom, and how to proceed", async () => {
  const text = await report(({ paths, components: { schemas } }) => {
    schemas.SpokeAction.properties.action.enum.pop();
    const { id, ...others } = schemas.Notification.properties;
    schemas.Notification.properties = { number: id, ...others };
    delete paths["/api/my-spokes"];
  });
  assert.is(
    text,
    `Breaking changes since the last release: 3 breaking changes in 4 endpoints of ALL

Not announced. The change may be released 30 days after a release that announces it, not before 2026-12-21.

  ✗ removed endpoint
    The endpoint was removed.
      GET /api/my-spokes

  ✗ renamed field, or field that is no longer read: Notification.id
    \`id\` is gone; \`number\` is new and of the same type: is it the same under another name?
      GET /api/notifications
      POST /api/notifications/{notificationId}/read

  ✗ changed enum values: SpokeAction.action
    \`action\` no longer accepts \`retry\`.
      POST /api/spokes/{spokeId}/actions

What to do
  Keep the existing API and add to it. New endpoints, optional request fields, response fields and enum values in
  responses are always allowed. To remove something, announce it on the endpoint:
    deprecated: { since: "2026-11-21", sunset: "2026-12-21", note: "Use … instead" }
  Release the announcement (npm run generate -- contract), and release this change after the sunset. Until then API users
  are notified by headers, the changelog and mail.
`,
  );
});

test("reports a change of many operations once, with a count", async () => {
  const text = await report(({ components }) => delete components.schemas.Operation.properties.kind);
  assert.is(text.match(/✗/g)?.length, 1);
  assert.match(text, /Operation\.kind\n {4}`kind` is gone\.\n(?: {6}[A-Z]+ \/api\/\S+\n){6} {6}and \d+ more\n/);
  const all = await report((copy) => copy.servers = [{ url: "https://elsewhere.example" }]);
  assert.match(all, "It is no longer under the server /.\n      every endpoint, all ALL\n");
});

test("lists announced changes separately, and accepts only those", async () => {
  const declare = ({ paths }: Json) =>
    Object.assign(paths["/api/my-spokes"].get, {
      ...{ deprecated: true, "x-deprecation": { since: "2026-01-01", sunset: "2026-11-01", note: "" } },
    });
  const remove = ({ paths }: Json) => delete paths["/api/my-spokes"];
  const announced = "Allowed: announced on 2026-01-01 with the sunset 2026-11-01.\n\n  ✗ removed endpoint\n";
  const allowed = await report(remove, declare);
  assert.ok(allowed.startsWith(`${LAST}, except announced changes and exceptions\n\n${announced}`));
  assert.not.match(allowed, "What to do");
  const mixed = await report((copy) => {
    remove(copy);
    delete copy.paths["/api/users"];
  }, declare);
  assert.match(mixed, "1 breaking change in 1 endpoint of ALL");
  assert.match(mixed, announced);
});

test.run();
