/** Starts an embedded PostgreSQL server in the given directory, prints its URL, and waits for a kill signal. */
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { SILENT_LOG } from "#lib/base/log.ts";

startEmbeddedPostgres({ directory: process.argv[2]!, durable: false, log: SILENT_LOG }).then(({ url }) => {
  console.log(url);
  setInterval(() => {}, 1000);
});
