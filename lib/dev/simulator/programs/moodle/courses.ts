/** Simulates publish-course.php and deliver-courses.php, with the library of the hub that both of them use. */
import { createHash } from "node:crypto";
import type {
  DeliveredCourse,
  DeliveredVersion,
  SimulatedSite,
  SiteDatabase,
} from "#lib/dev/simulator/programs/moodle/site.ts";
import { findFirstVolumeHandle, listServicePods } from "#lib/dev/simulator/programs/moodle/site.ts";
import { readConfigData } from "#lib/dev/simulator/programs/environment.ts";
import { runScriptOnSite } from "#lib/dev/simulator/programs/moodle/cli.ts";
import { canPodConnect } from "#lib/dev/simulator/programs/network.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { signLibraryTicket } from "#lib/moodle/course-jobs.ts";

const PORT = 8080;

interface Package {
  readonly edition: number;
}

interface Library {
  readonly packages: Readonly<Record<string, Package>>;
  store(sha256: string, stored: Package): void;
}

interface WantedCourse {
  readonly family: string;
  readonly version: number;
  readonly sha256: string;
  readonly ticket: string;
  readonly plugins: readonly string[];
  readonly moodle: number;
}

/** Returns the library, as the pod reaches it with a ticket; otherwise the status of the answer, 0 without an answer. */
function openLibrary(
  { world, pod, env }: ProgramContext,
  method: "GET" | "PUT",
  path: string,
  ticket: string,
): Library | number {
  const namespace = /^http:\/\/library\.([a-z0-9-]+)\.svc:8080$/.exec(env["LIBRARY_URL"] ?? "")?.[1] ?? "";
  const [server] = listServicePods(world, namespace, "library");
  if (!server || !canPodConnect(world, pod, server, PORT)) return 0;
  const key = readConfigData(world, namespace, "Secret", "library")?.LIBRARY_KEY ?? "";
  const expires = Number(ticket.split(".")[0]);
  if (signLibraryTicket(key, method, path, expires) !== ticket) return 401;
  const handle = findFirstVolumeHandle(world, namespace, server)!;
  const packages = (): Library["packages"] => world.volumes.read(handle).packages ?? {};
  return {
    packages: packages(),
    store: (sha256, stored) => world.volumes.write(handle, { packages: { ...packages(), [sha256]: stored } }),
  };
}

export function runPublishScript(context: ProgramContext): ProgramRun {
  const { COURSE: course = "", UPLOAD: upload = "", TICKET: ticket = "" } = context.env;
  const refuse = (reason: string, detail: string): ProgramRun => ({
    lines: [`refused ${JSON.stringify({ reason, detail })}`],
    exit: 3,
  });
  return runScriptOnSite(context, "/var/www/html/config.php", (site) => {
    if (!site.database.courses?.includes(course)) {
      return refuse("NoSuchCourse", "The site has no course with this short name");
    }
    const library = openLibrary(context, "PUT", `/uploads/${upload}`, ticket);
    if (typeof library === "number") return refuse("UploadFailed", `The library answered with status ${library}`);
    const { edition = 1, plugins = [] } = site.database.courseContents?.[course] ?? {};
    const sha256 = createHash("sha256").update(`${course} ${edition}`).digest("hex");
    const branch = /^\d+\.\d+/.exec(site.files.code!)![0];
    const result = { sha256, bytes: 21_000_000, title: course, shortname: course, moodle: readNumber(site), branch };
    return {
      lines: ["backup made: 21000000 bytes", `published ${JSON.stringify({ ...result, plugins })}`],
      exit: 0,
      delay: "cli",
      done: () => library.store(sha256, { edition }),
    };
  });
}

export function runDeliverScript(context: ProgramContext): ProgramRun {
  const wanted: readonly WantedCourse[] = JSON.parse(context.env["COURSES"]!);
  return runScriptOnSite(context, "/var/www/html/config.php", (site) => {
    let courses = site.database.hubCourses ?? {};
    const results = wanted.map(({ family, ...course }) => {
      const outcome = bring(context, site, courses[family], course);
      if ("course" in outcome) courses = { ...courses, [family]: outcome.course };
      return { family, version: course.version, ...outcome.result };
    });
    const removed = Object.keys(courses).filter((family) => !wanted.some((each) => each.family === family));
    const ends = removed.map((family) => {
      const [course, end] = retire({ ...courses[family]!, current: null });
      courses = { ...courses, [family]: course };
      if (Object.keys(course.versions).length === 0) {
        courses = Object.fromEntries(Object.entries(courses).filter(([name]) => name !== family));
      }
      return { family, outcome: end === "none" ? "deleted" : end };
    });
    return {
      lines: [`delivered ${JSON.stringify({ courses: results, removed: ends })}`],
      exit: 0,
      delay: "cli",
      done: () => site.changeDatabase((database) => ({ ...database, hubCourses: courses })),
    };
  });
}

type Site = SimulatedSite & { readonly database: SiteDatabase };

function bring(
  context: ProgramContext,
  site: Site,
  before: DeliveredCourse = { current: null, versions: {} },
  wanted: Omit<WantedCourse, "family">,
): { readonly result: object; readonly course?: DeliveredCourse } {
  const { version, sha256 } = wanted, old = before.versions[version];
  const skip = (reason: string, detail: string) => ({ result: { outcome: "skipped", reason, detail } });
  let added: DeliveredVersion | undefined = old;
  if (!old) {
    if (wanted.moodle > readNumber(site)) {
      return skip("OlderMoodle", "the course comes from a newer Moodle than this site has");
    }
    const has = (site.files.addons ?? []).map((addon) => addon.split(" ")[0]!);
    const missing = wanted.plugins.filter((name) => !has.includes(name));
    if (missing.length > 0) return skip("MissingPlugin", `the site lacks ${missing.join(", ")}`);
    const library = openLibrary(context, "GET", `/packages/${sha256}`, wanted.ticket);
    const found = typeof library === "number" ? library : library.packages[sha256] ?? 404;
    if (typeof found === "number") {
      const reason = found === 404 ? "PackageMissing" : "DownloadFailed";
      return skip(reason, `the library answered with status ${found}`);
    }
    added = { id: countCourses(site) + 2, sha256, edition: found.edition };
  }
  const outcome = !old ? "restored" : before.current === version ? "kept" : "reopened";
  const { isClosed: _, ...open } = added!;
  const [course, former] = retire({ current: version, versions: { ...before.versions, [version]: open } });
  return { course, result: { id: open.id, outcome, former } };
}

/** Closes the versions that are not the current one, and deletes those that nobody has used. */
function retire({ current, versions }: DeliveredCourse): [DeliveredCourse, "none" | "closed" | "deleted"] {
  const others = Object.entries(versions).filter(([version]) => Number(version) !== current);
  const kept = others.filter(([, { isUsed }]) => isUsed).map(([version, one]) => [version, { ...one, isClosed: true }]);
  const own = current === null ? [] : [[current, versions[current]]];
  const end = others.length > kept.length ? "deleted" : others.length > 0 ? "closed" : "none";
  return [{ current, versions: Object.fromEntries([...kept, ...own]) }, end];
}

function countCourses({ database: { courses = [], hubCourses = {} } }: Site): number {
  return courses.length + Object.values(hubCourses).flatMap(({ versions }) => Object.keys(versions)).length;
}

/** Returns a number that rises with the site's version of Moodle, as its own number does. */
function readNumber({ files }: Site): number {
  const [major = 0, minor = 0] = files.code!.split(".").map(Number);
  return major * 1_000_000 + minor * 10_000;
}
