/** Checks label keys and values, ConfigMap keys and environment variable names, with the API server's messages. */
import { DNS_SUBDOMAIN_MESSAGE, DNS_SUBDOMAIN_PATTERN } from "#lib/dev/simulator/admission/schema/values.ts";

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
