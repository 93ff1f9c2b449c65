/** Reads the users in a kubeconfig as kubectl does: their credentials and impersonation settings. */
import { resolve } from "node:path";
import * as v from "valibot";

/** A field that counts as absent if it is null or empty. */
export const KubeconfigText = v.pipe(
  v.nullish(v.string("must be a string")),
  v.transform((value) => value || undefined),
);
const Texts = v.nullish(v.array(v.nullish(v.string("must be a string"), ""), "must be a list"), []);
const Pair = v.object(
  { name: v.nullish(v.string("must be a string"), ""), value: KubeconfigText },
  "must be an object",
);

const Exec = v.object({
  command: KubeconfigText,
  apiVersion: KubeconfigText,
  args: Texts,
  env: v.nullish(v.array(Pair, "must be a list"), []),
  installHint: KubeconfigText,
  provideClusterInfo: v.optional(v.unknown()),
  interactiveMode: v.optional(v.unknown()),
}, "must be an object");

const AuthProvider = v.object({
  name: KubeconfigText,
  config: v.nullish(v.record(v.string(), v.pipe(v.unknown(), v.transform(String)), "must be an object"), {}),
}, "must be an object");

const User = v.object({
  token: KubeconfigText,
  tokenFile: KubeconfigText,
  username: KubeconfigText,
  password: KubeconfigText,
  "client-certificate": KubeconfigText,
  "client-certificate-data": KubeconfigText,
  "client-key": KubeconfigText,
  "client-key-data": KubeconfigText,
  exec: v.nullish(Exec),
  "auth-provider": v.nullish(AuthProvider),
  as: KubeconfigText,
  "as-uid": KubeconfigText,
  "as-groups": Texts,
  "as-user-extra": v.nullish(v.record(v.string(), Texts, "must be an object"), {}),
}, "must be an object");

/** A kubeconfig user with absolute paths. `tokenFile` takes precedence over `token`, and data over files. */
export type KubeUser = v.InferOutput<typeof User>;
export type ExecSettings = NonNullable<KubeUser["exec"]>;

/** Parses part of a kubeconfig. Throws an Error that names the invalid field, below the path `field`. */
export function parseKubeconfig<S extends v.GenericSchema>(schema: S, raw: unknown, field = ""): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, raw, { abortEarly: true });
  if (success) return output;
  const keys = issues[0].path?.map(({ key }) => typeof key === "number" ? `[${key}]` : `.${key}`) ?? [];
  throw new Error(`${(field + keys.join("")).replace(/^\./, "")} ${issues[0].message}`.trim());
}

/** Parses a user. Relative paths start at the kubeconfig's folder. Throws an Error that names an invalid field. */
export function readKubeUser(raw: unknown, name: string, field: string, folder: string): KubeUser {
  const user = parseKubeconfig(User, raw ?? {}, field), { exec, "auth-provider": provider } = user;
  check(user, name);
  if (exec) checkExec(exec, `${field}.exec`);
  // Rejects providers that run a command, because kubectl no longer supports them.
  if (provider?.config["cmd-path"]) {
    throw new Error(`${field}.auth-provider runs a command; use an exec plugin instead, as kubectl requires`);
  }
  if (!user.as && (user["as-uid"] || user["as-groups"].length > 0 || Object.keys(user["as-user-extra"]).length > 0)) {
    throw new Error(`${field}.as is missing, but as-uid, as-groups or as-user-extra is set`);
  }
  const path = (value: string | undefined) => resolveKubeconfigPath(value, folder);
  const authority = path(provider?.config["idp-certificate-authority"]);
  return {
    ...user,
    tokenFile: path(user.tokenFile),
    "client-certificate": path(user["client-certificate"]),
    "client-key": path(user["client-key"]),
    // Leaves a command without a slash unchanged, because it is looked up in PATH.
    ...(exec?.command?.includes("/") && { exec: { ...exec, command: path(exec.command) } }),
    ...(provider && authority && {
      "auth-provider": { ...provider, config: { ...provider.config, "idp-certificate-authority": authority } },
    }),
  };
}

/** Throws if the user combines settings that kubectl also refuses to combine. */
function check(user: KubeUser, name: string): void {
  if (user.username && (user.token || user.tokenFile)) {
    throw new Error(`the user ${name} has both a token and a user name; only one is allowed`);
  }
  if (user.exec && user["auth-provider"]) {
    throw new Error(`the user ${name} has both exec and auth-provider; only one is allowed`);
  }
  const hasCert = Boolean(user["client-certificate"] ?? user["client-certificate-data"]);
  if (hasCert !== Boolean(user["client-key"] ?? user["client-key-data"])) {
    throw new Error(`the user ${name} has a client certificate without its key, or a key without its certificate`);
  }
}

function checkExec({ command, apiVersion, interactiveMode }: ExecSettings, field: string): void {
  if (!command) throw new Error(`${field}.command is missing`);
  if (!/^client\.authentication\.k8s\.io\/(?:v1|v1beta1)$/.test(apiVersion ?? "")) {
    throw new Error(`${field}.apiVersion must be client.authentication.k8s.io/v1 or v1beta1`);
  }
  if (interactiveMode === "Always") throw new Error(`${field} needs a terminal (interactiveMode: Always)`);
}

/** Returns the headers with which the user acts as another user. */
export function buildImpersonationHeaders(user: KubeUser): Record<string, string | string[]> {
  const extra = Object.entries(user["as-user-extra"]).filter(([, values]) => values.length > 0);
  return {
    ...(user.as && { "Impersonate-User": user.as }),
    ...(user["as-uid"] && { "Impersonate-Uid": user["as-uid"] }),
    ...(user["as-groups"].length > 0 && { "Impersonate-Group": user["as-groups"] }),
    ...Object.fromEntries(extra.map(([key, values]) => [`Impersonate-Extra-${escapeKey(key)}`, values])),
  };
}

/** Percent-encodes the characters that are not allowed in HTTP header names. The API server decodes them. */
function escapeKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replaceAll("(", "%28").replaceAll(")", "%29");
}

export function resolveKubeconfigPath(path: string | undefined, folder: string): string | undefined {
  return path && folder ? resolve(folder, path) : path;
}
