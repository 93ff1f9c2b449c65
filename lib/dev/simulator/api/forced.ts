/** Answers that a fault demands: the Status that goes with a code, in the API server's words, or any other text. */
import type { Breakage } from "#lib/dev/simulator/faults.ts";
import { jsonOf, type Outgoing } from "#lib/dev/simulator/api/send.ts";
import { MODIFIED, Refusal } from "#lib/dev/simulator/refusal.ts";

const WORDS: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "Unauthorized"],
  403: ["Forbidden", "forbidden by the simulated cluster, which was told to"],
  404: ["NotFound", "the server could not find the requested resource"],
  409: ["Conflict", `Operation cannot be fulfilled on the object: ${MODIFIED}`],
  410: ["Expired", "The provided continue parameter is too old to display a consistent list result."],
  429: ["TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "request did not complete within the allotted timeout"],
};
const OTHER = ["InternalError", "Internal error occurred: the simulated cluster was told to fail"] as const;

export function forcedAnswer(answer: Extract<Breakage, { type: "answer" }>): Outgoing {
  const { status, retryAfter, body } = answer;
  const headers = {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...answer.headers,
  };
  if (body !== undefined) return { status, headers: { "content-type": "text/html", ...headers }, text: body };
  const details = typeof retryAfter === "number" ? { retryAfterSeconds: retryAfter } : undefined;
  const [reason, message] = WORDS[status] ?? OTHER;
  return jsonOf(status, new Refusal(status, reason, message, details).body(), headers);
}
