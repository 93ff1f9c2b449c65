/** Removes internal addresses of the cluster (API server, nodes, pods, services) from text for customers. */

const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?`;
const IPV4 = String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b(?!\.\d)`;
const IPV6 = [
  String.raw`\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?`,
  String.raw`(?<![\w:.-])(?:[0-9a-f]{1,4}:){5,8}[0-9a-f]{1,5}\b`,
  String
    .raw`(?<![\w:.-])(?=[a-f:]*\d)(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,5}(?::[0-9a-f]{1,5})*)?(?![\w:])`,
];
/** Matches names that only the cluster's network resolves, and node names that contain the node's address. */
const INTERNAL = String
  .raw`(?<![\w.-])(?:[\w-]+\.)+(?:svc|internal|cluster\.local)\b(?::\d+)?|\bip-\d+(?:-\d+){3}\b[\w.-]*`;

const RULES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // DNS errors of Node and of Go.
  [/\b(getaddrinfo \w+) [\w.-]+/g, "$1 …"],
  [/\b(lookup) [\w.-]+/g, "$1 …"],
  // Errors about a certificate for other names list all of its names.
  [/\b(Host: )\S+( is not in the cert's altnames: ).*/g, "$1…$2…"],
  [/\b(certificate is valid for ).*?(, not )\S+/g, "$1…$2…"],
  // The start of API server errors, and URLs in errors of webhooks and probes.
  [new RegExp(String.raw`\b(GET|HEAD|POST|PUT|PATCH|DELETE) ${HOST}(?=/)`, "g"), "$1 …"],
  [new RegExp(String.raw`\bhttps?://${HOST}(?=/(?:apis?|healthz|livez|readyz|openapi|version)\b)`, "gi"), "…"],
  [new RegExp(String.raw`(?:\bhttps?://)?(?:${[IPV4, ...IPV6, INTERNAL].join("|")})`, "gi"), "…"],
];

export function removeInternalAddresses(text: string): string {
  return RULES.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}
