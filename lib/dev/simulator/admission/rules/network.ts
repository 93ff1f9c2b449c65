/** Checks Ingresses, NetworkPolicies and Services against rules that involve several fields. */
import { BlockList, isIP } from "node:net";
import { DNS_SUBDOMAIN_MESSAGE, DNS_SUBDOMAIN_PATTERN } from "#lib/dev/simulator/admission/rules/data.ts";
import { cause, collectCauses, findDuplicates, type StatusCause } from "#lib/dev/simulator/admission/status-error.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";

export function validateIngress({ spec }: Json): StatusCause[] {
  const rules: Json[] = spec?.rules ?? [];
  const none = rules.length === 0 && !spec?.defaultBackend;
  return collectCauses(
    none && cause.invalid("spec", [], "either `defaultBackend` or `rules` must be specified"),
    rules.flatMap(({ host = "", http }, i) => {
      const field = `spec.rules[${i}]`;
      return collectCauses(
        isIP(host) && cause.invalid(`${field}.host`, host, "must be a DNS name, not an IP address"),
        host !== "" && !DNS_SUBDOMAIN_PATTERN.test(host.replace(/^\*\./, "")) &&
          cause.invalid(`${field}.host`, host, DNS_SUBDOMAIN_MESSAGE),
        (http?.paths ?? []).flatMap((path: Json, j: number) => validateIngressPath(`${field}.http.paths[${j}]`, path)),
      );
    }),
  );
}

function validateIngressPath(field: string, { path = "", pathType, backend }: Json): StatusCause[] {
  const plain = pathType === "Prefix" || pathType === "Exact";
  const part = ["//", "/./", "/../", "%2f", "%2F"].find((each) => path.includes(each));
  return collectCauses(
    !pathType && cause.required(`${field}.pathType`, "pathType must be specified"),
    plain && !path.startsWith("/") && cause.invalid(`${field}.path`, path, "must be an absolute path"),
    plain && part && cause.invalid(`${field}.path`, path, `must not contain '${part}'`),
    validateBackend(`${field}.backend`, backend),
  );
}

function validateBackend(field: string, backend: Json): StatusCause[] {
  if (!backend?.service && !backend?.resource) {
    return [cause.invalid(field, "", "resource or service backend is required")];
  }
  const { name, number } = backend.service?.port ?? {};
  return collectCauses(
    name && number && cause.invalid(field, "", "cannot set both port name & port number"),
    backend.service && !name && !number && cause.required(field, "port name or number is required"),
  );
}

export function validateNetworkPolicy({ spec }: Json): StatusCause[] {
  return [["ingress", "from"], ["egress", "to"]].flatMap(([which, peers]) =>
    (spec?.[which!] ?? []).flatMap((rule: Json, i: number) => [
      ...(rule.ports ?? []).flatMap(({ port, endPort }: Json, j: number) => {
        const field = `spec.${which}[${i}].ports[${j}].endPort`, missing = port === undefined;
        const why = `may not be specified when \`port\` is ${missing ? "not specified" : "non-numeric"}`;
        if (endPort !== undefined && typeof port !== "number") return [cause.invalid(field, endPort, why)];
        return collectCauses(endPort < port && cause.invalid(field, port, "must be greater than or equal to `port`"));
      }),
      ...(rule[peers!] ?? []).flatMap((peer: Json, j: number) =>
        validatePeer(`spec.${which}[${i}].${peers}[${j}]`, peer)
      ),
    ])
  );
}

function validatePeer(field: string, peer: Json): StatusCause[] {
  const selects = peer?.podSelector || peer?.namespaceSelector;
  if (!peer?.ipBlock) return selects ? [] : [cause.required(field, "must specify a peer")];
  if (selects) return [cause.forbidden(field, "may not specify both ipBlock and another peer")];
  const at = `${field}.ipBlock`, { cidr = "", except = [] } = peer.ipBlock;
  if (cidr === "") return [cause.required(`${at}.cidr`)];
  const outer = parseCidr(cidr), block = new BlockList();
  if (!outer) return [cause.invalid(`${at}.cidr`, cidr, CIDR_RULE)];
  block.addSubnet(outer.address, outer.length, outer.family);
  return except.flatMap((text: string, i: number) => {
    const inner = parseCidr(text);
    const within = inner && inner.length > outer.length && block.check(inner.address, inner.family);
    const why = inner ? "must be a strict subset of `cidr`" : CIDR_RULE;
    return collectCauses(!within && cause.invalid(`${at}.except[${i}]`, text, why));
  });
}

const CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function parseCidr(text: string): { address: string; length: number; family: "ipv4" | "ipv6" } | null {
  const [, address = "", bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [], length = Number(bits);
  const family = isIP(address) === 4 ? "ipv4" : "ipv6";
  return isIP(address) !== 0 && length <= (family === "ipv4" ? 32 : 128) ? { address, length, family } : null;
}

export function validateService({ spec }: Json): StatusCause[] {
  const ports: Json[] = spec?.ports ?? [], address = spec?.clusterIP, external = spec?.type === "ExternalName";
  const duplicates = findDuplicates(ports, ({ port, protocol = "TCP" }: Json) => `${port}/${protocol}`);
  return collectCauses(
    ports.length === 0 && address !== "None" && !external && cause.required("spec.ports"),
    ports.length > 1 && ports.flatMap(({ name }, i) => name ? [] : [cause.required(`spec.ports[${i}].name`)]),
    external && !spec.externalName && cause.required("spec.externalName"),
    address && address !== "None" && !isIP(address) &&
      cause.invalid("spec.clusterIPs[0]", address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
    // The API server prints only the number and the protocol of a duplicate port.
    duplicates.map(({ item: { port: Port, protocol: Protocol = "TCP" }, at }) =>
      cause.duplicate(`spec.ports[${at}]`, { Name: "", Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 })
    ),
  );
}
