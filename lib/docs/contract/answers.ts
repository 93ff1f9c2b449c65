/** What two versions of an operation answer: status, media type, fields, headers. */
import type { Answer, Header, Named, Operation } from "#lib/docs/contract/document.ts";
import { resolve } from "#lib/docs/contract/document.ts";
import type { Change } from "#lib/docs/contract/finding.ts";
import { change, type Place } from "#lib/docs/contract/place.ts";
import { compareContent } from "#lib/docs/contract/requests.ts";
import { compareSchemas } from "#lib/docs/contract/schemas.ts";

/** These say that it is deprecated: they go when it is not any more. */
const OF_DEPRECATION = new Set(["deprecation", "sunset", "link"]);

/** `at` is the answer as a whole. */
export function compareAnswers(once: Operation, then: Operation, at: Place): readonly Change[] {
  const was = answersOf(once), is = answersOf(then);
  return Object.entries(was).flatMap(([status, answer]): readonly Change[] => {
    const place = { ...at, root: `answer ${status}` };
    const other = is[status] ?? is[`${status[0]}XX`];
    if (other) {
      return [
        ...compareContent(answer.content ?? {}, other.content ?? {}, place, "no longer comes as"),
        ...compareHeaders(answer, other, { once, then, at: place }),
      ];
    }
    // Not to be refused any more breaks nobody.
    if (/^[45]/.test(status)) return [];
    const others = Object.keys(is).filter((one) => /^[23]/.test(one)).join(" or ") || "no success at all";
    return [
      change(place, "response_field_removed", `It no longer answers ${status}, with all that this had; only ${others}`),
    ];
  });
}

function answersOf({ document, declaration }: Operation): Named<Answer> {
  return Object.fromEntries(
    Object.entries(declaration.responses ?? {}).map(([status, answer]) => [status, resolve<Answer>(document, answer)]),
  );
}

interface Pair {
  readonly once: Operation;
  readonly then: Operation;
  readonly at: Place;
}

function compareHeaders(was: Answer, is: Answer, { once, then, at }: Pair): readonly Change[] {
  const undeclared = once.declaration.deprecated && !then.declaration.deprecated;
  const others = headersOf(is, then);
  return [...headersOf(was, once)].flatMap(([name, [written, header]]): readonly Change[] => {
    if (undeclared && OF_DEPRECATION.has(name)) return [];
    const place = { ...at, root: `${at.root}, header ${written}` }, other = others.get(name)?.[1];
    if (!other) return [change(place, "response_field_removed", `The header ${written} is gone`)];
    return [
      ...(header.required && !other.required
        ? [change(place, "response_field_removed", `The header ${written} is no longer always there`)]
        : []),
      ...compareSchemas(header.schema ?? {}, other.schema ?? {}, place),
    ];
  });
}

/** By the name in small letters: how it is written, and what it is. */
function headersOf({ headers = {} }: Answer, { document }: Operation): ReadonlyMap<string, readonly [string, Header]> {
  return new Map(
    Object.entries(headers).map(([name, header]) => [name.toLowerCase(), [name, resolve<Header>(document, header)]]),
  );
}
