import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startProgram } from "#test/support/program.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("startProgram");

test("reports the output so far if a line does not come in time", async () => {
  const program = startProgram(["simulate"], { SIMULATOR_PORT: "0" });
  await program.said(/^Simulated cluster/);
  const { message } = await rejection(program.said(/no such line/, 1));
  await program.stop();
  assert.match(message, "The program ran for 0.001 s without the output /no such line/:\nSimulated cluster");
});

test("reports the output if the program ends without the line", async () => {
  const program = startProgram(["no-such-command"], {});
  assert.match((await rejection(program.said(/no such line/))).message, "The program ended without the output");
  await program.ended;
});

test.run();
