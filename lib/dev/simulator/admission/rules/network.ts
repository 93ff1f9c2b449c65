/** Checks Ingresses, NetworkPolicies and Services against rules that involve several fields. */
import { BlockList, isIP } from "node:net";
import {
  cause,
  checkNumberRange,
  collectCauses,
  findDuplicates,
  type StatusCause,
} from "#lib/dev/simulator/admission/status-error.ts";
import { validateLabelKey } from "#lib/dev/simulator/admission/rules/data.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export function validateIngress({ spec }: Json): StatusCause[] {
  return (spec?.rules ?? []).flatMap(({ host = "", http }: Json, i: number) =>
    collectCauses(
      isIP(host) && cause.invalid(`spec.rules[${i}].host`, host, "must be a DNS name, not an IP address"),
      (http?.paths ?? []).flatMap((path: Json, j: number) =>
        validateIngressPath(`spec.rules[${i}].http.paths[${j}]`, path)
      ),
    )
  );
}

function validateIngressPath(field: string, { path = "", pathType, backend }: Json): StatusCause[] {
  const plain = pathType === "Prefix" || pathType === "Exact";
  const part = ["//", "/./", "/../", "%2f", "%2F"].find((each) => path.includes(each));
  return collectCauses(
    plain && !path.startsWith("/") && cause.invalid(`${field}.path`, path, "must be an absolute path"),
    plain && part && cause.invalid(`${field}.path`, path, `must not contain '${part}'`),
    validateBackend(`${field}.backend`, backend),
  );
}

function validateBackend(field: string, backend: Json): StatusCause[] {
  if (!backend?.service && !backend?.resource) {
    return [cause.invalid(field, "", "resource or service backend is required")];
  }
  if (!backend.service) return [];
  const { name, number } = backend.service.port ?? {};
  if (name && number) return [cause.invalid(field, "", "cannot set both port name & port number")];
  if (!name && !number) return [cause.required(field, "port name or number is required")];
  return number ? checkNumberRange(`${field}.service.port.number`, number, 1, 65535) : [];
}

export function validateNetworkPolicy({ spec }: Json): StatusCause[] {
  const rules = (which: "ingress" | "egress", peers: "from" | "to"): StatusCause[] =>
    (spec?.[which] ?? []).flatMap((rule: Json, i: number) => [
      ...(rule.ports ?? []).flatMap((port: Json, j: number) =>
        validatePortRange(`spec.${which}[${i}].ports[${j}]`, port)
      ),
      ...(rule[peers] ?? []).flatMap((peer: Json, j: number) =>
        validatePeer(`spec.${which}[${i}].${peers}[${j}]`, peer)
      ),
    ]);
  return [
    ...validateSelector("spec.podSelector", spec?.podSelector),
    ...rules("ingress", "from"),
    ...rules("egress", "to"),
  ];
}

function validatePortRange(field: string, { port, endPort }: Json): StatusCause[] {
  const at = `${field}.endPort`;
  if (endPort === undefined) return [];
  if (port === undefined) return [cause.invalid(at, endPort, "may not be specified when `port` is not specified")];
  if (typeof port === "string") return [cause.invalid(at, endPort, "may not be specified when `port` is non-numeric")];
  return collectCauses(endPort < port && cause.invalid(at, port, "must be greater than or equal to `port`"));
}

function validatePeer(field: string, peer: Json): StatusCause[] {
  if (!peer?.ipBlock) {
    if (!peer?.podSelector && !peer?.namespaceSelector) return [cause.required(field, "must specify a peer")];
    return [
      ...validateSelector(`${field}.podSelector`, peer.podSelector),
      ...validateSelector(`${field}.namespaceSelector`, peer.namespaceSelector),
    ];
  }
  if (peer.podSelector || peer.namespaceSelector) {
    return [cause.forbidden(field, "may not specify both ipBlock and another peer")];
  }
  const at = `${field}.ipBlock`, { cidr = "", except = [] } = peer.ipBlock;
  if (cidr === "") return [cause.required(`${at}.cidr`)];
  const block = parseCidr(cidr);
  if (!block) return [cause.invalid(`${at}.cidr`, cidr, CIDR_RULE)];
  const blockList = new BlockList();
  blockList.addSubnet(block.address, block.length, block.family);
  return except.flatMap((text: string, i: number) => {
    const inner = parseCidr(text);
    const within = inner && inner.length > block.length && blockList.check(inner.address, inner.family);
    const why = inner ? "must be a strict subset of `cidr`" : CIDR_RULE;
    return collectCauses(!within && cause.invalid(`${at}.except[${i}]`, text, why));
  });
}

const CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function parseCidr(text: string): { address: string; length: number; family: "ipv4" | "ipv6" } | null {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(length) > (version === 4 ? 32 : 128)) return null;
  return { address, length: Number(length), family: version === 4 ? "ipv4" : "ipv6" };
}

export function validateService({ spec }: Json): StatusCause[] {
  const ports: Json[] = spec?.ports ?? [], address = spec?.clusterIP;
  const alike = ({ port, protocol = "TCP" }: Json) => `${port}/${protocol}`;
  return collectCauses(
    validateLabelKeys("spec.selector", spec?.selector),
    spec?.type === "ExternalName" && !spec.externalName && cause.required("spec.externalName"),
    address && address !== "None" && !isIP(address) &&
      cause.invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    findDuplicates(ports, ({ name }) => name).map(({ item, at }) =>
      cause.duplicate(`spec.ports[${at}].name`, item.name)
    ),
    findDuplicates(ports, alike).map(({ item, at }) => cause.duplicate(`spec.ports[${at}]`, formatPort(item))),
  );
}

/** Formats a duplicate port as the API server prints it in errors, with only its number and protocol filled in. */
function formatPort({ port, protocol = "TCP" }: Json): Json {
  return { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function validateSelector(field: string, selector: Json): StatusCause[] {
  return validateLabelKeys(`${field}.matchLabels`, selector?.matchLabels);
}

function validateLabelKeys(field: string, labels: Json): StatusCause[] {
  return isRecord(labels)
    ? Object.keys(labels).flatMap((key) => cause.invalidAll(field, key, validateLabelKey(key)))
    : [];
}
