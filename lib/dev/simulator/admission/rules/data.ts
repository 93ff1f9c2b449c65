/** Checks names, metadata such as labels and finalizers, and the data in ConfigMaps and Secrets. */
import { cause, collectCauses, type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { isRecord, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";

export const DNS_LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must " +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
export const DNS_SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
export const DNS_LABEL_PATTERN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
export const DNS_SUBDOMAIN_PATTERN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const MAX_NAME_LENGTH = 63;
const MAX_PREFIX_LENGTH = 253;
const PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PART_RULE = "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_KEY_MESSAGE = `name part must ${PART_RULE}`;
const LABEL_VALUE_MESSAGE =
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

/** Returns the errors in a label value. The recordings name bytes in selectors, but characters in labels. */
export function validateLabelValue(value: string, unit = "bytes"): string[] {
  return selectMessages(
    value.length > MAX_NAME_LENGTH && `must be no more than ${MAX_NAME_LENGTH} ${unit}`,
    value !== "" && !PART.test(value) && LABEL_VALUE_MESSAGE,
  );
}

export function validateLabels(field: string, labels: Record<string, string>): StatusCause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...cause.invalidAll(field, key, validateLabelKey(key)),
    ...cause.invalidAll(field, value, validateLabelValue(value, "characters")),
  ]);
}

/** Returns the errors in the name of a key in a ConfigMap or Secret. */
export function validateConfigMapKey(key: string): string[] {
  return selectMessages(
    key.length > MAX_PREFIX_LENGTH && `must be no more than ${MAX_PREFIX_LENGTH} characters`,
    !/^[-._a-zA-Z0-9]+$/.test(key) && DATA_KEY_RULE,
  );
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
  const found = bare.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  return found >= 0 || bare.length % 4 === 0 ? found : bare.length - bare.length % 4;
}

export function validateConfigMap({ data = {}, binaryData = {} }: Json): StatusCause[] {
  const size = sizeOf(data, Buffer.byteLength) + sizeOf(binaryData, bytesOf);
  return collectCauses(
    Object.keys(data).filter((key) => key in binaryData)
      .map((key) => cause.invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
    size > MAX_DATA_BYTES && cause.tooLong("[]", MAX_DATA_BYTES),
  );
}

/** Checks a Secret. The caller must first merge `stringData` into `data`. */
export function validateSecret({ type = "Opaque", data = {} }: Json): StatusCause[] {
  return collectCauses(
    sizeOf(data, bytesOf) > MAX_DATA_BYTES && cause.tooLong("data", MAX_DATA_BYTES),
    (REQUIRED_KEYS[type] ?? []).filter((key) => !(key in data)).map((key) => cause.required(`data[${key}]`)),
    type === "kubernetes.io/dockerconfigjson" && validateDockerConfig(data[".dockerconfigjson"]),
  );
}

function validateDockerConfig(encoded = "e30="): StatusCause[] {
  const text = Buffer.from(encoded, "base64").toString().trim();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const why = text ? `invalid character '${text[0]}' looking for beginning of value` : "unexpected end of JSON input";
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
const STANDARD_FINALIZERS = ["foregroundDeletion", "kubernetes", "orphan"];

export function validateMetadata({ metadata }: StoredObject): StatusCause[] {
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const size = Object.entries(annotations).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  return collectCauses(
    validateLabels("metadata.labels", labels),
    Object.keys(annotations).flatMap((key) => cause.invalidAll("metadata.annotations", key, validateLabelKey(key))),
    size > MAX_ANNOTATION_BYTES && cause.tooLong("metadata.annotations", MAX_ANNOTATION_BYTES),
    validateOwners("metadata.ownerReferences", ownerReferences),
    finalizers.flatMap((name, i) => {
      const causes = cause.invalidAll("metadata.finalizers", name, validateLabelKey(name));
      if (causes.length > 0 || name.includes("/") || STANDARD_FINALIZERS.includes(name)) return causes;
      const why = "name is neither a standard finalizer name nor is it fully qualified";
      return [cause.invalid(`metadata.finalizers[${i}]`, name, why)];
    }),
  );
}

function validateOwners(field: string, owners: readonly Json[]): StatusCause[] {
  const [first, second] = owners.filter(({ controller }) => controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  const why = 'Only one reference can have Controller set to true. Found "true" in references for ';
  return collectCauses(
    owners.flatMap((owner) =>
      ["apiVersion", "kind", "name", "uid"].filter((name) => !owner[name]).map((name) =>
        cause.invalid(`${field}.${name}`, "", `${name === "apiVersion" ? "version " : ""}must not be empty`)
      )
    ),
    second && cause.invalid(field, owners, `${why}${first} and ${second}`),
  );
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
