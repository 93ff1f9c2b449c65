/**
 * Runs a kubeconfig's exec plugin as kubectl does, but kills the plugin if it misses a deadline. The Kubernetes library
 * is not used for this, because it waits forever and does not set KUBERNETES_EXEC_INFO.
 */
import { spawn } from "node:child_process";
import { extendEnvironment } from "#lib/base/environment.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import type { KubeconfigCluster } from "#lib/drivers/cluster/client/kubeconfig.ts";
import { isRecord } from "#lib/drivers/cluster/client/status.ts";
import type { ExecSettings } from "#lib/drivers/cluster/client/user.ts";

export interface PluginCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface ExecPlugin {
  /** Returns the cached credential until it expires, then runs the plugin again. Errors name the plugin. */
  credential(): Promise<PluginCredential>;
}

interface PluginOptions {
  readonly ms: number;
  /** Creates the error for a plugin that did not finish in time. */
  readonly late: (description: string) => Error;
  /** When this signal aborts, a running plugin is killed. */
  readonly signal: AbortSignal;
}

/** The maximum number of bytes that a plugin may print. A credential needs only a few thousand bytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The name of the kubeconfig extension whose content is passed to exec plugins. */
const EXEC_EXTENSION = "client.authentication.k8s.io/exec";
/** The maximum number of characters that an error message quotes from the plugin's standard error. */
const MAX_STDERR_LENGTH = 500;

export function openExecPlugin(
  settings: ExecSettings,
  cluster: KubeconfigCluster,
  { ms, late, signal }: PluginOptions,
): ExecPlugin {
  const info = {
    apiVersion: settings.apiVersion,
    kind: "ExecCredential",
    spec: { ...(settings.provideClusterInfo === true && { cluster: describeCluster(cluster) }), interactive: false },
  };
  let last: { readonly credential: PluginCredential; readonly expires: number } | undefined;
  return {
    async credential() {
      if (last && Date.now() < last.expires) return last.credential;
      const onLate = () => late(`the plugin ${settings.command}`);
      const output = await runCancellable(
        [signal],
        { ms, createError: onLate },
        (ending) => run(settings, info, ending),
      );
      last = parseCredential(output, settings);
      return last.credential;
    },
  };
}

/** Returns the information about the cluster that a plugin receives if the kubeconfig sets `provideClusterInfo`. */
function describeCluster({ extensions, "certificate-authority": _, ...fields }: KubeconfigCluster): object {
  return { ...fields, config: extensions.find(({ name }) => name === EXEC_EXTENSION)?.extension };
}

/** Runs the plugin and returns its output. When the signal aborts, kills the plugin and its child processes. */
function run(
  { command = "", args, env, installHint }: ExecSettings,
  info: object,
  signal: AbortSignal,
): Promise<string> {
  const variables = Object.fromEntries(env.map(({ name, value = "" }) => [name, value]));
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: extendEnvironment({ ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(info) }),
      detached: true, // starts a process group, so that the plugin's child processes can be killed
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "", stderr = "", ended = false;
    const kill = () => {
      if (ended) return;
      ended = true;
      killProcessGroup(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
    };
    signal.addEventListener("abort", kill, { once: true });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length <= MAX_OUTPUT_BYTES) return;
      kill();
      reject(new Error(`The plugin ${command} printed more than ${MAX_OUTPUT_BYTES} bytes`));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => stderr = (stderr + text).slice(-MAX_OUTPUT_BYTES));
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const hint = cause.code === "ENOENT" && installHint ? `. ${installHint.trim()}` : "";
      reject(new Error(`Cannot run the plugin ${command}: ${cause.message}${hint}`, { cause }));
    });
    child.on("close", (code) => {
      ended = true;
      if (code === 0) return resolve(output);
      const why = stderr.trim().slice(-MAX_STDERR_LENGTH);
      reject(new Error(`The plugin ${command} failed with exit status ${code}${why && `: ${why}`}`));
    });
  });
}

function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Ignores the error, because the processes have already exited.
  }
}

function parseCredential(output: string, { command, apiVersion }: ExecSettings) {
  const fail = (why: string) => new Error(`The plugin ${command} ${why}`);
  const answer = parseJson(output);
  if (!isRecord(answer)) throw fail("did not print a JSON object");
  if (answer.apiVersion !== undefined && answer.apiVersion !== apiVersion) {
    throw fail(`returned ${String(answer.apiVersion).slice(0, 100)}, but the kubeconfig expects ${apiVersion}`);
  }
  if (!isRecord(answer.status)) throw fail("returned no status");
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status;
  if (!token && !cert && !key) throw fail("returned neither a token nor a certificate");
  if (Boolean(cert) !== Boolean(key)) {
    throw fail("returned a certificate without its key, or a key without its certificate");
  }
  const text = (value: unknown) => typeof value === "string" && value ? value : undefined;
  const fields = Object.entries({ token: text(token), cert: text(cert), key: text(key) });
  const expires = expirationTimestamp ? Date.parse(String(expirationTimestamp)) : Infinity;
  if (Number.isNaN(expires)) throw fail("returned an invalid expirationTimestamp");
  return { credential: Object.fromEntries(fields.filter(([, value]) => value)) as PluginCredential, expires };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the text is not quoted, because it may contain a token
  }
}
