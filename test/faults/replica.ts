/** A replica as a process of its own, started by the tests beside it. It says "ready", and drains on SIGTERM. */
import { readFile } from "node:fs/promises";
import { openDatabase } from "#lib/db/open.ts";
import { openLog } from "#lib/log.ts";
import { makeApp, startReplica } from "#test/lib/work/scene.ts";
import { until } from "#test/support/until.ts";

async function main([id = "", url = "", kubeconfig = ""]: readonly string[]): Promise<void> {
  const log = openLog({ level: "info", format: "json", write: (line) => process.stdout.write(line) });
  const db = await openDatabase({ url, size: 5, log });
  const { app, close } = await makeApp(db, await readFile(kubeconfig, "utf8"), log);
  const scheduler = await startReplica(app, id);
  process.once("SIGTERM", async () => {
    await scheduler.drain(1000);
    await scheduler.close();
    await close();
    await db.close();
  });
  await until(() => scheduler.ready(), 60_000);
  process.stdout.write("ready\n");
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
