/** Checks the rules of Ingresses, NetworkPolicies and Services that involve several values. */
import { BlockList, isIP } from "node:net";
import {
  all,
  type Cause,
  duplicate,
  forbiddenField,
  outside,
  repeated,
  required,
  wrong,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import { badLabelKey } from "#lib/dev/simulator/admission/rules/names.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export function badIngress({ spec }: Json): Cause[] {
  return (spec?.rules ?? []).flatMap(({ host = "", http }: Json, i: number) =>
    all(
      isIP(host) && wrongValue(`spec.rules[${i}].host`, host, "must be a DNS name, not an IP address"),
      (http?.paths ?? []).flatMap((path: Json, j: number) => badPath(`spec.rules[${i}].http.paths[${j}]`, path)),
    )
  );
}

function badPath(field: string, { path = "", pathType, backend }: Json): Cause[] {
  const plain = pathType === "Prefix" || pathType === "Exact";
  const part = ["//", "/./", "/../", "%2f", "%2F"].find((each) => path.includes(each));
  return all(
    plain && !path.startsWith("/") && wrongValue(`${field}.path`, path, "must be an absolute path"),
    plain && part && wrongValue(`${field}.path`, path, `must not contain '${part}'`),
    badBackend(`${field}.backend`, backend),
  );
}

function badBackend(field: string, backend: Json): Cause[] {
  if (!backend?.service && !backend?.resource) {
    return [wrongValue(field, "", "resource or service backend is required")];
  }
  if (!backend.service) return [];
  const { name, number } = backend.service.port ?? {};
  if (name && number) return [wrongValue(field, "", "cannot set both port name & port number")];
  if (!name && !number) return [required(field, "port name or number is required")];
  return number ? outside(`${field}.service.port.number`, number, 1, 65535) : [];
}

export function badNetworkPolicy({ spec }: Json): Cause[] {
  const rules = (which: "ingress" | "egress", peers: "from" | "to"): Cause[] =>
    (spec?.[which] ?? []).flatMap((rule: Json, i: number) => [
      ...(rule.ports ?? []).flatMap((port: Json, j: number) => badRange(`spec.${which}[${i}].ports[${j}]`, port)),
      ...(rule[peers] ?? []).flatMap((peer: Json, j: number) => badPeer(`spec.${which}[${i}].${peers}[${j}]`, peer)),
    ]);
  return [...badSelector("spec.podSelector", spec?.podSelector), ...rules("ingress", "from"), ...rules("egress", "to")];
}

function badRange(field: string, { port, endPort }: Json): Cause[] {
  const at = `${field}.endPort`;
  if (endPort === undefined) return [];
  if (port === undefined) return [wrongValue(at, endPort, "may not be specified when `port` is not specified")];
  if (typeof port === "string") return [wrongValue(at, endPort, "may not be specified when `port` is non-numeric")];
  return all(endPort < port && wrongValue(at, port, "must be greater than or equal to `port`"));
}

function badPeer(field: string, peer: Json): Cause[] {
  if (!peer?.ipBlock) {
    if (!peer?.podSelector && !peer?.namespaceSelector) return [required(field, "must specify a peer")];
    return [
      ...badSelector(`${field}.podSelector`, peer.podSelector),
      ...badSelector(`${field}.namespaceSelector`, peer.namespaceSelector),
    ];
  }
  if (peer.podSelector || peer.namespaceSelector) {
    return [forbiddenField(field, "may not specify both ipBlock and another peer")];
  }
  const at = `${field}.ipBlock`, { cidr = "", except = [] } = peer.ipBlock;
  if (cidr === "") return [required(`${at}.cidr`)];
  const block = readBlock(cidr);
  if (!block) return [wrongValue(`${at}.cidr`, cidr, NO_BLOCK)];
  const whole = new BlockList();
  whole.addSubnet(block.address, block.length, block.family);
  return except.flatMap((text: string, i: number) => {
    const inner = readBlock(text);
    const within = inner && inner.length > block.length && whole.check(inner.address, inner.family);
    const why = inner ? "must be a strict subset of `cidr`" : NO_BLOCK;
    return all(!within && wrongValue(`${at}.except[${i}]`, text, why));
  });
}

const NO_BLOCK = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function readBlock(text: string): { address: string; length: number; family: "ipv4" | "ipv6" } | null {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(length) > (version === 4 ? 32 : 128)) return null;
  return { address, length: Number(length), family: version === 4 ? "ipv4" : "ipv6" };
}

export function badService({ spec }: Json): Cause[] {
  const ports: Json[] = spec?.ports ?? [], address = spec?.clusterIP;
  const alike = ({ port, protocol = "TCP" }: Json) => `${port}/${protocol}`;
  return all(
    wrongKeys("spec.selector", spec?.selector),
    spec?.type === "ExternalName" && !spec.externalName && required("spec.externalName"),
    address && address !== "None" && !isIP(address) &&
      wrongValue("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    repeated(ports, ({ name }) => name).map(({ item, at }) => duplicate(`spec.ports[${at}].name`, item.name)),
    repeated(ports, alike).map(({ item, at }) => duplicate(`spec.ports[${at}]`, shown(item))),
  );
}

/** Returns a duplicate port as the API server prints it: only with its number and protocol. */
function shown({ port, protocol = "TCP" }: Json): Json {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function badSelector(field: string, selector: Json): Cause[] {
  return wrongKeys(`${field}.matchLabels`, selector?.matchLabels);
}

function wrongKeys(field: string, labels: Json): Cause[] {
  return isRecord(labels) ? Object.keys(labels).flatMap((key) => wrong(field, key, badLabelKey(key))) : [];
}
