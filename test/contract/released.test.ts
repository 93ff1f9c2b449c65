/**
 * Tests that the promises of the last release hold: clients written for test/golden/surface.released.txt keep working.
 */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { presentDocument } from "#test/contract/check.ts";
import { checkContract } from "#test/contract/contract.ts";
import { EXCEPTIONS } from "#test/contract/exceptions.ts";
import { readSurface } from "#test/contract/parse-surface.ts";
import { reportContract } from "#test/contract/report.ts";
import { surfaceOf } from "#test/contract/surface.ts";

const test = suite("the contract");

const read = (name: string) => readFile(new URL(`../golden/${name}`, import.meta.url), "utf8");

test("is kept by the present surface", async () => {
  const released = readSurface(await read("surface.released.txt")), endpoints = released.endpoints.size;
  assert.ok(endpoints > 60, "The released surface is not whole");
  // An allowed change stays allowed, so the day of the test cannot fail a test that passed before.
  const today = new Date().toISOString().slice(0, 10);
  const found = checkContract(released, readSurface(await read("surface.txt")), today, EXCEPTIONS);
  assert.not.ok(found.some(({ verdict }) => !verdict.allowed), reportContract(found, { endpoints, today }));
});

test("has the present document's surface", async () => {
  assert.is(surfaceOf(presentDocument()), await read("surface.txt"), "npm run generate writes it");
});

test.run();
