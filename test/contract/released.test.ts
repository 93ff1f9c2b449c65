/**
 * Tests that the promises of the last release hold: clients written for test/golden/surface.released.txt keep working.
 */
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildCurrentDocument } from "#test/contract/check.ts";
import { checkContract } from "#test/contract/contract.ts";
import { CONTRACT_EXCEPTIONS } from "#test/contract/exceptions.ts";
import { parseSurface } from "#test/contract/parse-surface.ts";
import { reportContract } from "#test/contract/report.ts";
import { renderSurface } from "#test/contract/surface.ts";

const test = suite("released contract");

const read = (name: string) => readFile(new URL(`../golden/${name}`, import.meta.url), "utf8");

test("is not broken by the current surface", async () => {
  const released = parseSurface(await read("surface.released.txt")), endpoints = released.endpoints.size;
  assert.ok(endpoints > 60, "The released surface is not whole");
  // An allowed change stays allowed, so the day of the test cannot fail a test that passed before.
  const today = new Date().toISOString().slice(0, 10);
  const found = checkContract(released, parseSurface(await read("surface.txt")), today, CONTRACT_EXCEPTIONS);
  assert.not.ok(found.some(({ check }) => !check.allowed), reportContract(found, { endpoints, today }));
});

test("matches the current document", async () => {
  assert.is(renderSurface(buildCurrentDocument()), await read("surface.txt"), "npm run generate writes it");
});

test.run();
