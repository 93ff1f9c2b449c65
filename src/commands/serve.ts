/** Implements `wheelwright serve`, which runs Wheelwright with an existing database and existing clusters. */
import { readStartConfig } from "#lib/base/config.ts";
import { findPublicUrlProblem } from "#lib/domains/auth/cookie.ts";
import { batchLogWrites, createLog } from "#lib/base/log.ts";
import { bootstrapFirstOperator } from "#lib/domains/users/bootstrap.ts";
import { requireKubeconfig } from "../cluster-watch.ts";
import type { ClusterConnectionSource } from "../clusters.ts";
import { createProgram } from "../compose.ts";
import { runUntilStopped } from "../run.ts";
import { waitForDatabase } from "./wait-for-database.ts";

export async function runServe(): Promise<void> {
  const config = readStartConfig("serve");
  const log = createLog({ ...config.log, write: batchLogWrites((text) => process.stdout.write(text)) });
  if (!config.smtp) log.warn("SMTP_HOST is not set: mail stays in the queue");
  const problem = findPublicUrlProblem(config.publicUrl);
  if (problem) log.warn(problem);
  const source: ClusterConnectionSource = config.kubeconfig ? { file: config.kubeconfig } : "in-cluster";
  await requireKubeconfig(source);
  await waitForDatabase(config.database.ownerSource ?? config.database.source, log);
  const program = await createProgram(config, source, log);
  try {
    await bootstrapFirstOperator(program.app.db, config.bootstrapAdmin, log);
    const { port, stopped } = await runUntilStopped(program);
    log.info(`Listening on ${config.host}:${port}`, { publicUrl: config.publicUrl.href, ...program.app.release });
    if (!await stopped) process.exit(); // abandoned work would keep the process alive
  } finally {
    await program.close(); // a program that failed to start must not continue in the background
  }
}
