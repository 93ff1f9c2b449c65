/** What ConfigMaps and Secrets may hold: keys, sizes, base64, and what a Secret's type asks for. */
import { isRecord, type Json } from "#lib/dev/simulator/object.ts";
import { badRequest, type Cause } from "#lib/dev/simulator/refusal.ts";
import { all, required, tooLong, wrong, wrongValue } from "#lib/dev/simulator/rules/causes.ts";
import { badDataKey } from "#lib/dev/simulator/rules/names.ts";

const MOST = 1024 * 1024;
const DEMANDED: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

/** 400 for bytes that cannot be read: there is no object that could be judged. */
export function refuseUndecoded(kind: string, body: Json): void {
  const bytes: Json = kind === "Secret" ? body.data : kind === "ConfigMap" ? body.binaryData : undefined;
  if (!isRecord(bytes)) return;
  for (const text of Object.values(bytes)) {
    const at = typeof text === "string" ? firstBad(text) : -1;
    if (at < 0) continue;
    throw badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: illegal base64 data at input byte ${at}`,
    );
  }
}

/** Where a text stops being base64; -1 where it does not. */
function firstBad(text: string): number {
  const bare = text.replace(/[\r\n]/g, "");
  const found = bare.search(/[^A-Za-z0-9+/=]/);
  if (found >= 0) return found;
  const padding = bare.indexOf("=");
  if (padding >= 0 && !/^={1,2}$/.test(bare.slice(padding))) return padding;
  return bare.length % 4 === 0 ? -1 : bare.length - bare.length % 4;
}

export function badConfigMap({ data = {}, binaryData = {} }: Json): Cause[] {
  const size = sizeOf(data, Buffer.byteLength) + sizeOf(binaryData, bytesOf);
  return all(
    Object.keys(data).flatMap((key) =>
      all(
        wrong(`data[${key}]`, key, badDataKey(key)),
        key in binaryData && wrongValue(`data[${key}]`, key, "duplicate of key present in binaryData"),
      )
    ),
    Object.keys(binaryData).flatMap((key) => wrong(`binaryData[${key}]`, key, badDataKey(key))),
    size > MOST && tooLong("[]", MOST),
  );
}

/** `data` holds everything, what came as stringData too. */
export function badSecret({ type = "Opaque", data = {} }: Json): Cause[] {
  return all(
    Object.keys(data).flatMap((key) => wrong(`data[${key}]`, key, badDataKey(key))),
    sizeOf(data, bytesOf) > MOST && tooLong("data", MOST),
    (DEMANDED[type] ?? []).filter((key) => !(key in data)).map((key) => required(`data[${key}]`)),
    badRegistries(type, data[".dockerconfigjson"]),
  );
}

function badRegistries(type: string, encoded: string | undefined): Cause[] {
  if (type !== "kubernetes.io/dockerconfigjson" || encoded === undefined) return [];
  const text = Buffer.from(encoded, "base64").toString();
  try {
    JSON.parse(text);
    return [];
  } catch {
    const why = text === ""
      ? "unexpected end of JSON input"
      : `invalid character '${text.trim()[0]}' looking for beginning of value`;
    return [wrongValue("data[.dockerconfigjson]", "<secret contents redacted>", why)];
  }
}

function sizeOf(values: Record<string, string>, measure: (text: string) => number): number {
  return Object.values(values).reduce((sum, text) => sum + measure(text), 0);
}

function bytesOf(encoded: string): number {
  return Buffer.byteLength(encoded, "base64");
}
