/** What the last release promised is kept: who wrote against test/golden/openapi.released.json can go on. */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkContract } from "#lib/docs/contract/contract.ts";
import { EXCEPTIONS } from "#lib/docs/contract/exceptions.ts";
import { operationsOf } from "#lib/docs/contract/document.ts";
import { reportContract } from "#lib/docs/contract/report.ts";

const test = suite("the contract");

const read = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../golden/${name}`, import.meta.url), "utf8"));

test("is kept by the present document", async () => {
  const released = await read("openapi.released.json"), endpoints = operationsOf(released).length;
  assert.ok(endpoints > 60, "The released document is not whole");
  // What was allowed once stays allowed, so that the day of the test decides nothing that passed before.
  const today = new Date().toISOString().slice(0, 10);
  const found = checkContract(released, await read("openapi.json"), today, EXCEPTIONS);
  assert.not.ok(found.some(({ verdict }) => !verdict.allowed), reportContract(found, { endpoints, today }));
});

test.run();
