/** Hides addresses inside the cluster in text that customers read: of the API server, of nodes, of pods and of services. */

const HOST = String.raw`(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?`;
const IPV4 = String.raw`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b(?!\.\d)`;
const IPV6 = [
  String.raw`\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?`,
  String.raw`(?<![\w:.-])(?:[0-9a-f]{1,4}:){5,8}[0-9a-f]{1,5}\b`,
  String
    .raw`(?<![\w:.-])(?=[a-f:]*\d)(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?::(?:[0-9a-f]{1,5}(?::[0-9a-f]{1,5})*)?(?![\w:])`,
];
/** Names that only the cluster or its network resolves, and node names that contain the node's address. */
const INTERNAL = String
  .raw`(?<![\w.-])(?:[\w-]+\.)+(?:svc|internal|cluster\.local)\b(?::\d+)?|\bip-\d+(?:-\d+){3}\b[\w.-]*`;

const RULES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  // What failed to resolve: Node's words, then those of Go.
  [/\b(getaddrinfo \w+) [\w.-]+/g, "$1 …"],
  [/\b(lookup) [\w.-]+/g, "$1 …"],
  // A certificate for other names lists them all.
  [/\b(Host: )\S+( is not in the cert's altnames: ).*/g, "$1…$2…"],
  [/\b(certificate is valid for ).*?(, not )\S+/g, "$1…$2…"],
  // A call to the API server, as its errors begin; and its URL, as webhooks and probes quote it.
  [new RegExp(String.raw`\b(GET|HEAD|POST|PUT|PATCH|DELETE) ${HOST}(?=/)`, "g"), "$1 …"],
  [new RegExp(String.raw`\bhttps?://${HOST}(?=/(?:apis?|healthz|livez|readyz|openapi|version)\b)`, "gi"), "…"],
  [new RegExp(String.raw`(?:\bhttps?://)?(?:${[IPV4, ...IPV6, INTERNAL].join("|")})`, "gi"), "…"],
];

export function withoutAddresses(text: string): string {
  return RULES.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text);
}
