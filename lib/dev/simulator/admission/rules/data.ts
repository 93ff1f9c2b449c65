/** Checks names, metadata such as labels and finalizers, and the data in ConfigMaps and Secrets. */
import { DNS_SUBDOMAIN_MESSAGE, DNS_SUBDOMAIN_PATTERN } from "#lib/dev/simulator/admission/schema/values.ts";
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";

const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;
const PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PART_RULE = "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
export const LABEL_KEY_MESSAGE = `name part must ${PART_RULE}`;
export const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const DATA_KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Returns the errors in a qualified name, such as a label key or an annotation key. */
export function validateLabelKey(key: string): string[] {
  const parts = key.split("/"), name = parts.at(-1)!;
  if (parts.length > 2) {
    return [
      `a valid label key must ${PART_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = parts.length === 2 ? parts[0]! : null;
  return selectMessages(
    prefix === "" && "prefix part must be non-empty",
    prefix !== null && prefix.length > MAX_PREFIX_LENGTH &&
      `prefix part must be no more than ${MAX_PREFIX_LENGTH} bytes`,
    prefix && !DNS_SUBDOMAIN_PATTERN.test(prefix) && `prefix part ${DNS_SUBDOMAIN_MESSAGE}`,
    name === "" && "name part must be non-empty",
    name.length > MAX_NAME_LENGTH && `name part must be no more than ${MAX_NAME_LENGTH} bytes`,
    !PART.test(name) && LABEL_KEY_MESSAGE,
  );
}

export function isLabelValue(value: string): boolean {
  return value === "" || PART.test(value);
}

export function validateLabelValue(value: string): string[] {
  return selectMessages(
    value.length > MAX_NAME_LENGTH && `must be no more than ${MAX_NAME_LENGTH} bytes`,
    !isLabelValue(value) && LABEL_VALUE_MESSAGE,
  );
}

/** Returns the errors in the name of a key in a ConfigMap or Secret. */
export function validateConfigMapKey(key: string): string[] {
  return selectMessages(
    key.length > MAX_PREFIX_LENGTH && `must be no more than ${MAX_PREFIX_LENGTH} characters`,
    !/^[-._a-zA-Z0-9]+$/.test(key) && DATA_KEY_RULE,
  );
}

export function validateEnvVarName(name: string): string[] {
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

function selectMessages(...found: readonly (string | false | null)[]): string[] {
  return found.filter((each): each is string => typeof each === "string" && each !== "");
}

const MAX_DATA_BYTES = 1024 * 1024;
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

/** Throws a 400 error if a value is not valid base64. No other rule is checked, as the object cannot be decoded. */
export function requireBase64(kind: string, body: Json): void {
  const bytes: Json = kind === "Secret" ? body.data : kind === "ConfigMap" ? body.binaryData : undefined;
  if (!isRecord(bytes)) return;
  for (const text of Object.values(bytes)) {
    const at = typeof text === "string" ? findInvalidBase64(text) : -1;
    if (at < 0) continue;
    throw StatusError.badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: illegal base64 data at input byte ${at}`,
    );
  }
}

/** Returns the index of the first invalid character in base64 text, or -1 if the text is valid. */
function findInvalidBase64(text: string): number {
  const bare = text.replace(/[\r\n]/g, "");
  const found = bare.search(/[^A-Za-z0-9+/=]/);
  if (found >= 0) return found;
  const padding = bare.indexOf("=");
  if (padding >= 0 && !/^={1,2}$/.test(bare.slice(padding))) return padding;
  return bare.length % 4 === 0 ? -1 : bare.length - bare.length % 4;
}

export function validateConfigMap({ data = {}, binaryData = {} }: Json): StatusCause[] {
  const size = sizeOf(data, Buffer.byteLength) + sizeOf(binaryData, bytesOf);
  return collectCauses(
    Object.keys(data).flatMap((key) =>
      collectCauses(
        cause.invalidAll(`data[${key}]`, key, validateConfigMapKey(key)),
        key in binaryData && cause.invalid(`data[${key}]`, key, "duplicate of key present in binaryData"),
      )
    ),
    Object.keys(binaryData).flatMap((key) => cause.invalidAll(`binaryData[${key}]`, key, validateConfigMapKey(key))),
    size > MAX_DATA_BYTES && cause.tooLong("[]", MAX_DATA_BYTES),
  );
}

/** Checks a Secret. The caller must first merge `stringData` into `data`. */
export function validateSecret({ type = "Opaque", data = {} }: Json): StatusCause[] {
  return collectCauses(
    Object.keys(data).flatMap((key) => cause.invalidAll(`data[${key}]`, key, validateConfigMapKey(key))),
    sizeOf(data, bytesOf) > MAX_DATA_BYTES && cause.tooLong("data", MAX_DATA_BYTES),
    (REQUIRED_KEYS[type] ?? []).filter((key) => !(key in data)).map((key) => cause.required(`data[${key}]`)),
    validateDockerConfig(type, data[".dockerconfigjson"]),
  );
}

function validateDockerConfig(type: string, encoded: string | undefined): StatusCause[] {
  if (type !== "kubernetes.io/dockerconfigjson" || encoded === undefined) return [];
  const text = Buffer.from(encoded, "base64").toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const why = text === ""
      ? "unexpected end of JSON input"
      : `invalid character '${text.trim()[0]}' looking for beginning of value`;
    return [cause.invalid("data[.dockerconfigjson]", "<secret contents redacted>", why)];
  }
}

function sizeOf(values: Record<string, string>, measure: (text: string) => number): number {
  return Object.values(values).reduce((sum, text) => sum + measure(text), 0);
}

function bytesOf(encoded: string): number {
  return Buffer.byteLength(encoded, "base64");
}

const MAX_ANNOTATION_BYTES = 256 * 1024;
const STANDARD = new Set(["foregroundDeletion", "kubernetes", "orphan"]);

export function validateMetadata({ metadata }: StoredObject): StatusCause[] {
  const { annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const size = Object.entries(annotations).reduce(
    (sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v),
    0,
  );
  const field = "metadata.ownerReferences";
  const [first, second] = ownerReferences.filter((owner) => owner.controller === true);
  return collectCauses(
    size > MAX_ANNOTATION_BYTES && cause.tooLong("metadata.annotations", MAX_ANNOTATION_BYTES),
    ownerReferences.flatMap((owner: Json) =>
      ["apiVersion", "kind", "name", "uid"].filter((name) => !owner[name]).map((name) => {
        const what = name === "apiVersion" ? "version must" : "must";
        return cause.invalid(`${field}.${name}`, owner[name] ?? "", `${what} not be empty`);
      })
    ),
    second && cause.invalid(
      field,
      ownerReferences,
      'Only one reference can have Controller set to true. Found "true" in references for ' +
        `${first!.kind}/${first!.name} and ${second.kind}/${second.name}`,
    ),
    finalizers.flatMap(validateFinalizer),
  );
}

function validateFinalizer(name: string, i: number): StatusCause[] {
  const causes = cause.invalidAll("metadata.finalizers", name, validateLabelKey(name));
  if (causes.length > 0 || name.includes("/") || STANDARD.has(name)) return causes;
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return [cause.invalid(`metadata.finalizers[${i}]`, name, why)];
}

/** Rejects new finalizers on an object that is being deleted: from such an object, they can only be removed. */
export function validateNewFinalizers(live: StoredObject, next: Json): StatusCause[] {
  if (live.metadata.deletionTimestamp === undefined) return [];
  const gained = (next.metadata?.finalizers ?? []).filter((name: string) => !live.metadata.finalizers?.includes(name));
  if (gained.length === 0) return [];
  const formatted = `[]string{${gained.map((name: string) => JSON.stringify(name)).join(", ")}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${formatted}`;
  return [cause.forbidden("metadata.finalizers", why)];
}
