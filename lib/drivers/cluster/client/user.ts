/** Reads the users in a kubeconfig as kubectl does: their credentials and impersonation settings. */
import { resolve } from "node:path";
import { isRecord } from "#lib/drivers/cluster/client/status.ts";
import type { PluginSettings } from "#lib/drivers/cluster/client/plugin.ts";

export interface KubeUser {
  readonly name: string;
  readonly token?: string;
  /** The path of the token's file, which is read for each connection. The file takes precedence over `token`. */
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly cert: FileOrData;
  readonly key: FileOrData;
  readonly exec?: Omit<PluginSettings, "cluster"> & { readonly provideClusterInfo: boolean };
  readonly authProvider?: { readonly name: string; readonly config: Record<string, string> };
  readonly impersonation: Readonly<Record<string, string | string[]>>;
}

/** A file path (`file`), or the file's content in base64 (`data`). If both are set, `data` is used. */
export interface FileOrData {
  readonly file?: string | undefined;
  readonly data?: string | undefined;
}

type Raw = Record<string, unknown>;

/** Parses a user. Relative paths start at the kubeconfig's folder. Throws an Error that names an invalid field. */
export function readKubeUser(raw: unknown, field: string, folder: string): KubeUser {
  if (!isRecord(raw) || typeof raw.name !== "string" || !raw.name) throw new Error(`${field}.name is missing`);
  const user = recordOf(raw.user ?? {}, `${field}.user`), at = (name: string) => `${field}.user.${name}`;
  const text = (name: string) => textOf(user[name], at(name));
  const path = (name: string) => resolveKubeconfigPath(text(name), folder);
  const tokenFile = path("tokenFile");
  const found: KubeUser = {
    name: raw.name,
    ...only({ token: text("token"), tokenFile, username: text("username"), password: text("password") }),
    cert: only({ file: path("client-certificate"), data: text("client-certificate-data") }),
    key: only({ file: path("client-key"), data: text("client-key-data") }),
    ...(user.exec != null && { exec: readExec(recordOf(user.exec, at("exec")), at("exec"), folder) }),
    ...(user["auth-provider"] != null &&
      { authProvider: readProvider(user["auth-provider"], at("auth-provider"), folder) }),
    impersonation: readImpersonation(user, at),
  };
  check(found);
  return found;
}

/** Throws if the user combines settings that kubectl also refuses to combine. */
function check({ name, token, tokenFile, username, cert, key, exec, authProvider }: KubeUser): void {
  if (username && (token || tokenFile)) {
    throw new Error(`the user ${name} has both a token and a user name; only one is allowed`);
  }
  if (exec && authProvider) throw new Error(`the user ${name} has both exec and auth-provider; only one is allowed`);
  const hasCert = Boolean(cert.file || cert.data), hasKey = Boolean(key.file || key.data);
  if (hasCert !== hasKey) {
    throw new Error(`the user ${name} has a client certificate without its key, or a key without its certificate`);
  }
}

function readExec(exec: Raw, field: string, folder: string): NonNullable<KubeUser["exec"]> {
  const command = textOf(exec.command, `${field}.command`), apiVersion = textOf(exec.apiVersion, `${field}.apiVersion`);
  if (!command) throw new Error(`${field}.command is missing`);
  if (!/^client\.authentication\.k8s\.io\/(?:v1|v1beta1)$/.test(apiVersion ?? "")) {
    throw new Error(`${field}.apiVersion must be client.authentication.k8s.io/v1 or v1beta1`);
  }
  if (exec.interactiveMode === "Always") throw new Error(`${field} needs a terminal (interactiveMode: Always)`);
  const pairs = listOf(exec.env, `${field}.env`).map((each, i) => {
    const { name, value } = recordOf(each, `${field}.env[${i}]`);
    return [textOf(name, `${field}.env[${i}].name`) ?? "", textOf(value, `${field}.env[${i}].value`) ?? ""];
  });
  return {
    apiVersion: apiVersion!,
    // Leaves a command without a slash unchanged, because it is looked up in PATH.
    command: command.includes("/") ? resolveKubeconfigPath(command, folder)! : command,
    args: listOf(exec.args, `${field}.args`).map((each, i) => textOf(each, `${field}.args[${i}]`) ?? ""),
    env: Object.fromEntries(pairs),
    installHint: textOf(exec.installHint, `${field}.installHint`) ?? "",
    provideClusterInfo: exec.provideClusterInfo === true,
  };
}

function readProvider(raw: unknown, field: string, folder: string): NonNullable<KubeUser["authProvider"]> {
  const provider = recordOf(raw, field), name = textOf(provider.name, `${field}.name`) ?? "";
  const entries = Object.entries(recordOf(provider.config ?? {}, `${field}.config`));
  const config = Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
  // Rejects providers that run a command, because kubectl no longer supports them.
  if (config["cmd-path"]) throw new Error(`${field} runs a command; use an exec plugin instead, as kubectl requires`);
  const authority = resolveKubeconfigPath(config["idp-certificate-authority"], folder);
  return { name, config: { ...config, ...(authority && { "idp-certificate-authority": authority }) } };
}

function readImpersonation(user: Raw, at: (name: string) => string): KubeUser["impersonation"] {
  const as = textOf(user.as, at("as")), uid = textOf(user["as-uid"], at("as-uid"));
  const texts = (value: unknown, field: string) =>
    listOf(value, field).map((each, i) => textOf(each, `${field}[${i}]`) ?? "");
  const groups = texts(user["as-groups"], at("as-groups"));
  const extra = Object.entries(recordOf(user["as-user-extra"] ?? {}, at("as-user-extra")))
    .map(([key, values]) =>
      [`Impersonate-Extra-${escapeKey(key)}`, texts(values, at(`as-user-extra.${key}`))] as const
    );
  if (!as) {
    if (uid || groups.length > 0 || extra.length > 0) {
      throw new Error(`${at("as")} is missing, but as-uid, as-groups or as-user-extra is set`);
    }
    return {};
  }
  return {
    "Impersonate-User": as,
    ...(uid && { "Impersonate-Uid": uid }),
    ...(groups.length > 0 && { "Impersonate-Group": groups }),
    ...Object.fromEntries(extra.filter(([, values]) => values.length > 0)),
  };
}

/** Percent-encodes the characters that are not allowed in HTTP header names. The API server decodes them. */
function escapeKey(key: string): string {
  const bytes = [...Buffer.from(key.toLowerCase())];
  return bytes.map((byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function textOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new Error(`${field} must be a string`);
  return value;
}

function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${field} must be a list`);
  return value;
}

function recordOf(value: unknown, field: string): Raw {
  if (!isRecord(value)) throw new Error(`${field} must be an object`);
  return value;
}

export function resolveKubeconfigPath(path: string | undefined, folder: string): string | undefined {
  return path && folder ? resolve(folder, path) : path;
}

function only<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
