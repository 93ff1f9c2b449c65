import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  condition,
  endLogs,
  jobWith,
  waitForJobStart,
  waitForSecondRead,
  withStaticCluster,
} from "#test/support/kube/job.ts";
import { recordWatch } from "#test/support/kube/static-cluster.ts";

const test = suite("Space.run with a listener");

test(
  "reports the listener's sentence as progress, instead of the log's last line",
  withStaticCluster(async (table) => {
    const waiting = recordWatch(), told: string[] = [];
    const onProgress = (sentence: string) => {
      told.push(sentence);
      waiting.onProgress!(sentence);
    };
    const listen = () => (line: string) => line.startsWith("-->") ? `at ${line.slice(3)}` : null;
    const { result } = await waitForJobStart(table, "-->one\n", { ...waiting, onProgress, listen });
    await waiting.told(/^at one$/);
    table.logs.get("install-1-abc/moodle")!.followers[0]!.write("-->two\nnothing of it\n");
    await waiting.told(/^at two$/);
    await waitForSecondRead(table);
    assert.is(told.at(-1), "at two");
    endLogs(table);
    table.put("jobs", jobWith({ conditions: [condition("Complete", "CompletionsReached", "done")] }));
    assert.ok((await result).succeeded);
  }),
);

test.run();
