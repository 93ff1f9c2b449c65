/** Starts an embedded PostgreSQL server in the given directory, prints its URL, and waits for a kill signal. */
import { openEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { silentLog } from "#lib/base/log.ts";

openEmbeddedPostgres({ directory: process.argv[2]!, durable: false, log: silentLog }).then(({ url }) => {
  console.log(url);
  setInterval(() => {}, 1000);
});
