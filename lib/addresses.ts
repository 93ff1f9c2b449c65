/** Lists of network addresses, as they stand in a variable: separated by commas. */
import { isIP } from "node:net";
import * as v from "valibot";

export const Cidrs = listOf(isCidr, "must be CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8");

export const NameServers = listOf(
  isNameServer,
  "must be addresses separated by commas, with or without a port, such as 10.0.0.2,[fd00::2]:5353",
);

function listOf(isOne: (text: string) => boolean, message: string) {
  return v.pipe(
    v.string(),
    v.transform((value) => value.split(",").map((part) => part.trim()).filter(Boolean)),
    v.check((list) => list.every(isOne), message),
  );
}

/** Whether the text is an address with a prefix length that the address family has. */
function isCidr(text: string): boolean {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  if (family === 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  return Number(prefix) <= (family === 4 ? 32 : 128);
}

function isNameServer(text: string): boolean {
  const [, address, port] = /^\[([^\]]+)\]:(\d{1,5})$/.exec(text) ?? /^([\d.]+):(\d{1,5})$/.exec(text) ?? [];
  if (address === undefined) return isIP(text) !== 0;
  return isIP(address) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
