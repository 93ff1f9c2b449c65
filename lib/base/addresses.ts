/** Removes the cluster's internal addresses (API server, nodes, pods, services) from text that customers see. */

const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?`;
const IPV4 = String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b(?!\.\d)`;
const IPV6 = [
  String.raw`\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?`,
  String.raw`(?<![\w:.-])(?:[0-9a-f]{1,4}:){5,8}[0-9a-f]{1,5}\b`,
  String
    .raw`(?<![\w:.-])(?=[a-f:]*\d)(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,5}(?::[0-9a-f]{1,5})*)?(?![\w:])`,
];
/** Matches host names that resolve only inside the cluster, and node names that contain the node's IP address. */
const INTERNAL = String
  .raw`(?<![\w.-])(?:[\w-]+\.)+(?:svc|internal|cluster\.local)\b(?::\d+)?|\bip-\d+(?:-\d+){3}\b[\w.-]*`;

const RULES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // Matches the DNS errors that Node.js and Go report.
  [/\b(getaddrinfo \w+) [\w.-]+/g, "$1 …"],
  [/\b(lookup) [\w.-]+/g, "$1 …"],
  // Matches errors about a certificate for a different host, which list every host name in the certificate.
  [/\b(Host: )\S+( is not in the cert's altnames: ).*/g, "$1…$2…"],
  [/\b(certificate is valid for ).*?(, not )\S+/g, "$1…$2…"],
  // The first pattern matches URLs after an HTTP method, the second Kubernetes API and probe URLs in other places.
  [new RegExp(String.raw`\b(GET|HEAD|POST|PUT|PATCH|DELETE) ${HOST}(?=/)`, "g"), "$1 …"],
  [new RegExp(String.raw`\bhttps?://${HOST}(?=/(?:apis?|healthz|livez|readyz|openapi|version)\b)`, "gi"), "…"],
  [new RegExp(String.raw`(?:\bhttps?://)?(?:${[IPV4, ...IPV6, INTERNAL].join("|")})`, "gi"), "…"],
];

export function removeInternalAddresses(text: string): string {
  return RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
