/** What a deprecated endpoint says of itself in every answer: Deprecation (RFC 9745), Sunset (RFC 8594), Link. */
import type { Deprecation } from "#lib/http/endpoint.ts";
import { DAY, SECOND } from "#lib/time.ts";

const NOTICE = 30 * DAY; // spec 9.2: nothing breaks that was not announced so long before
const DOCUMENT = "/api/openapi.json";

/** The headers, none for what is not deprecated. Throws when the dates are none, or leave less than 30 days. */
export function deprecationHeaders(deprecation: Deprecation | undefined): readonly (readonly [string, string])[] {
  if (!deprecation) return [];
  const since = Date.parse(deprecation.since), sunset = Date.parse(deprecation.sunset);
  if (!(sunset - since >= NOTICE)) {
    const { since, sunset, note } = deprecation;
    throw new Error(`A deprecation needs 30 days from since to sunset, but has ${since} to ${sunset} (${note})`);
  }
  return [
    ["deprecation", `@${Math.floor(since / SECOND)}`],
    ["sunset", new Date(sunset).toUTCString()],
    ["link", `<${DOCUMENT}>; rel="deprecation"; type="application/json"`],
  ];
}
