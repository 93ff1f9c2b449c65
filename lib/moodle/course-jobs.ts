/** Reads the results of the Jobs that publish and deliver courses, and signs their tickets for the hub's library. */
import { createHmac } from "node:crypto";
import * as v from "valibot";

/** The package of a course, as publish-course.php reports it. */
export const PublishedPackage = v.object({
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(1)),
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(1333)), // the length of Moodle's column
  shortname: v.pipe(v.string(), v.maxLength(255)),
  moodle: v.number(),
  branch: v.pipe(v.string(), v.regex(/^\d{1,2}\.\d{1,2}$/)),
  plugins: v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(200)),
});
export type PublishedPackage = v.InferOutput<typeof PublishedPackage>;

/** Why publish-course.php refused: a code, and a sentence. */
const PublishRefusal = v.object({ reason: v.string(), detail: v.string() });
export type PublishRefusal = v.InferOutput<typeof PublishRefusal>;

const Delivery = v.object({
  courses: v.array(v.object({
    family: v.string(),
    version: v.number(),
    outcome: v.string(),
    /** Why the course was skipped: a code, and a phrase. */
    reason: v.optional(v.string()),
    detail: v.optional(v.string()),
    former: v.optional(v.string()),
  })),
  removed: v.array(v.object({ family: v.string(), outcome: v.string() })),
});
export type Delivery = v.InferOutput<typeof Delivery>;

/** Returns the package that the Job made; null if the Job did not finish. */
export function parsePublishedPackage(log: readonly string[]): PublishedPackage | null {
  return parseLine("published ", PublishedPackage, log);
}

/** Returns why the Job refused to publish the course; null if it did not refuse. */
export function parsePublishRefusal(log: readonly string[]): PublishRefusal | null {
  return parseLine("refused ", PublishRefusal, log);
}

/** Returns what the Job did with each course; null if the Job did not finish. */
export function parseDelivery(log: readonly string[]): Delivery | null {
  return parseLine("delivered ", Delivery, log);
}

function parseLine<S extends v.GenericSchema>(
  beginning: string,
  schema: S,
  log: readonly string[],
): v.InferOutput<S> | null {
  const line = log.findLast((each) => each.startsWith(beginning));
  if (line === undefined) return null;
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(line.slice(beginning.length)));
    return success ? output : null;
  } catch {
    return null; // a line that was cut off
  }
}

/** Returns a ticket for one request to the library. `expires` is in Unix seconds. */
export function signLibraryTicket(key: string, method: "GET" | "PUT", path: string, expires: number): string {
  const signature = createHmac("sha256", Buffer.from(key, "hex")).update(`${method} ${path} ${expires}`).digest("hex");
  return `${expires}.${signature}`;
}
