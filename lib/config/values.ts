/** The kinds of values that variables of the configuration have, each with the words that refuse another. */
import { isIP } from "node:net";
import * as v from "valibot";
import { Email } from "#lib/schema.ts";

export const Text = v.pipe(v.string(), v.minLength(1, "must not be empty"));
export const Switch = v.pipe(v.picklist(["on", "off"], "must be on or off"), v.transform((value) => value === "on"));

export function whole(least: number, most: number): v.GenericSchema<string, number> {
  const message = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, message),
    v.transform(Number),
    v.minValue(least, message),
    v.maxValue(most, message),
  );
}

export function url(message: string, ...protocols: string[]): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(),
    v.check((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), message),
  );
}

export const Cidrs = v.pipe(
  v.string(),
  v.transform((value) => value.split(",").map((part) => part.trim()).filter(Boolean)),
  v.check((list) => list.every(isCidr), "must be CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8"),
);

const SENDER = "must be an e-mail address, alone or behind a name: Hubs <hubs@example.org>";
export const Sender = v.pipe(
  v.string(),
  v.check((value) => v.is(Email, /^[^<>\r\n]*<([^<>]+)>$/.exec(value)?.[1] ?? value), SENDER),
);

export const DatabaseUrl = url(
  "must be a URL such as postgres://user:password@host:5432/name",
  "postgres:",
  "postgresql:",
);

/** Whether the text is an address with a prefix length that the address family has. */
function isCidr(text: string): boolean {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  if (family === 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  return Number(prefix) <= (family === 4 ? 32 : 128);
}
