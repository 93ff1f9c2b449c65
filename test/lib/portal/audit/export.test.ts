/** Tests the content of the exported audit log. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { AuditEventItem } from "#lib/portal/audit/event.ts";
import { auditExportReply, collectAuditEvents, EXPORT_PAGE_SIZE } from "#lib/portal/audit/export.ts";

const EVENT: AuditEventItem = {
  id: "evt_1",
  kind: "user_updated",
  actor: { id: "usr_1", email: "ada@example.org" },
  objectType: "user",
  objectId: "usr_1",
  metadata: {},
  ip: "192.0.2.1",
  userAgent: "test",
  at: "2026-11-23T12:00:00.000Z",
};

const textOf = (format: "csv" | "jsonl", event: Partial<AuditEventItem>) =>
  String(auditExportReply.send({ format, events: [{ ...EVENT, ...event }], isTruncated: false }).body);

const collect = suite("collectAuditEvents");

collect("stops at the limit, shows it in the file name, and reads no further than needed", async () => {
  let reads = 0;
  const page = Array.from({ length: EXPORT_PAGE_SIZE }, () => EVENT);
  const read = () => Promise.resolve((reads++, { items: page, next: "2026-11-23T12:00:00.000Z,evt_1" }));
  const log = await collectAuditEvents("jsonl", read, 250);
  assert.equal([log.events.length, log.isTruncated, reads], [250, true, 3]);
  assert.is(auditExportReply.send(log).headers["content-disposition"], 'attachment; filename="audit-newest-250.jsonl"');
});

collect("ends after a full last page", async () => {
  const items = Array.from({ length: EXPORT_PAGE_SIZE }, () => EVENT);
  const log = await collectAuditEvents("csv", () => Promise.resolve({ items, next: null }), EXPORT_PAGE_SIZE);
  assert.equal([log.events.length, log.isTruncated], [EXPORT_PAGE_SIZE, false]);
});

collect.run();

const file = suite("auditExportReply");

file("contains no formula that a spreadsheet would run", () => {
  for (const userAgent of ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]) {
    assert.match(textOf("csv", { userAgent }), userAgent.includes("\r") ? `"'${userAgent}"` : `,'${userAgent},`);
  }
});

file("quotes cells with commas, quotes and line breaks", () => {
  const csv = textOf("csv", { userAgent: 'a "b", c\nd', metadata: { name: 'x"y' } });
  assert.match(csv, '"a ""b"", c\nd"');
  assert.match(csv, String.raw`"{""name"":""x\""y""}"`);
});

file("starts with a byte order mark only in CSV, for Excel", () => {
  assert.equal([textOf("csv", {}).startsWith("\ufeffat,kind,"), textOf("jsonl", {}).startsWith("{")], [true, true]);
});

file("has each event as in the API in JSON Lines", () => {
  assert.equal(textOf("jsonl", {}), `${JSON.stringify(EVENT)}\n`);
});

file.run();
