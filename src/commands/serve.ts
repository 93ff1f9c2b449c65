/** `wheelwright serve`: the control plane on a database and a cluster that are there already. */
import { readProcessConfig } from "#lib/config.ts";
import { cookieProblem } from "#lib/auth/cookie.ts";
import { ClusterError } from "#lib/cluster/cluster.ts";
import { messageOf } from "#lib/errors.ts";
import { openLog } from "#lib/log.ts";
import { SECOND } from "#lib/time.ts";
import { bootstrapAdmin } from "#lib/users/bootstrap.ts";
import type { ClusterSource } from "../clusters.ts";
import { compose, type Program } from "../compose.ts";
import { runUntilStopped } from "../run.ts";
import { CommandError, EX_CONFIG, EX_UNAVAILABLE } from "./command.ts";
import { reachDatabase } from "./reach.ts";

export async function serve(): Promise<void> {
  const config = readProcessConfig("serve");
  const log = openLog({ ...config.log, write: (line) => process.stdout.write(line) });
  if (!config.smtp) log.warn("SMTP_HOST is not set: mail stays queued until it is");
  const problem = cookieProblem(config.publicUrl);
  if (problem) log.warn(problem);
  const source: ClusterSource = config.kubeconfig ? { file: config.kubeconfig } : "in-cluster";
  await reachDatabase(config.database.ownerUrl ?? config.database.url, log);
  const program = await compose(config, source, log);
  try {
    await reachCluster(program);
    await bootstrapAdmin(program.app.db, config.bootstrapAdmin, log);
    const { port, stopped } = await runUntilStopped(program);
    log.info(`Listening on ${config.host}:${port}`, { publicUrl: config.publicUrl.href, ...program.app.release });
    await stopped;
  } finally {
    await program.close(); // what could not start must not go on working unseen
  }
}

/** Refuses to start without the cluster: a control plane that accepts what it can never do would not be truthful. */
async function reachCluster(program: Program): Promise<void> {
  try {
    const cluster = await program.app.clusters.open(program.app.clusters.place(null));
    const version = await cluster.version({ signal: AbortSignal.timeout(30 * SECOND) });
    program.app.log.info("The cluster answers", { version });
  } catch (cause) {
    const [status, what] = cause instanceof ClusterError && cause.code === "kubeconfig"
      ? [EX_CONFIG, "KUBECONFIG cannot be used"] as const
      : [EX_UNAVAILABLE, "The cluster cannot be reached (see KUBECONFIG)"] as const;
    throw new CommandError(status, `${what}: ${messageOf(cause)}`, { cause });
  }
}
