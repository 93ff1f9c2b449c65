/**
 * Chooses the simulated program for a container by image and command. If no program matches, a container in a pod with
 * the restart policy Always runs forever. In any other pod, it exits with code 0.
 */
import { runAddonsScript } from "#lib/dev/simulator/programs/moodle/addons.ts";
import { runDatabaseAdoption, runFileAdoption } from "#lib/dev/simulator/programs/moodle/adopt.ts";
import {
  runCodeVersionScript,
  runEntryPointAsServer,
  runEntryPointInJob,
  runFileDeletionScript,
} from "#lib/dev/simulator/programs/moodle/boot.ts";
import {
  runMoodleCli,
  runPasswordScript,
  runSeedScript,
  runSignInLinkScript,
} from "#lib/dev/simulator/programs/moodle/cli.ts";
import { runDeliverScript, runPublishScript } from "#lib/dev/simulator/programs/moodle/courses.ts";
import { runPackagesScript } from "#lib/dev/simulator/programs/moodle/packages.ts";
import { runSignInCheck } from "#lib/dev/simulator/programs/moodle/sign-on.ts";
import { runPsql, servePostgres } from "#lib/dev/simulator/programs/moodle/database.ts";
import { runCurl, runFileVerification, runSetupJob } from "#lib/dev/simulator/programs/moodle/checks.ts";
import { runPersonScript } from "#lib/dev/simulator/programs/moodle/person.ts";
import { runPgIsready } from "#lib/dev/simulator/programs/network.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

type Program = readonly [
  fits: (image: string, command: string) => boolean,
  run: (context: ProgramContext) => ProgramRun,
];

const MOODLE = /moodle/;
const POSTGRES = /postgres/;
/** Matches a command that runs the script facts.php, which the Moodle image's entry point receives as an argument. */
const FACTS = /^php -r .*echo "\$name\|\$value/s;

const PROGRAMS: readonly Program[] = [
  [(_, command) => /^php -r .*wheelwright-addons/s.test(command), runAddonsScript],
  [(_, command) => /^php -r .*function check_provider/s.test(command), runSignInCheck],
  [(_, command) => /\bpostgres --single\b/.test(command), runDatabaseAdoption],
  [(_, command) => command.includes("wheelwright-adopted"), runFileAdoption],
  [(_, command) => /\bpg_isready\b/.test(command), runPgIsready],
  [(_, command) => /\bpsql\b/.test(command), runPsql],
  [(_, command) => /\bseed\.php\b.*\bcurl\b/s.test(command), runSetupJob],
  [(_, command) => /\bcurl\b.*https?:/s.test(command), runCurl],
  [(_, command) => /\bphp\b.*seed\.php/s.test(command), runSeedScript],
  [(_, command) => /^php -r .*function person_accounts/s.test(command), runPersonScript],
  [(_, command) => /^php -r .*function publish_course/s.test(command), runPublishScript],
  [(_, command) => /^php -r .*function deliver_family/s.test(command), runDeliverScript],
  [(_, command) => /^php -r .*function packages_run/s.test(command), runPackagesScript],
  [(_, command) => /^php -r .*user_update_password/s.test(command), runPasswordScript],
  [(_, command) => /^php -r .*function link_seal/s.test(command), runSignInLinkScript],
  [(_, command) => /\bphp\b.*\/cli\/\w+\.php/s.test(command), runMoodleCli],
  [(_, command) => /\brm -rf\b.*moodledata/s.test(command), runFileDeletionScript],
  [(image, command) => MOODLE.test(image) && command.includes("/usr/src/moodle/version.php"), runCodeVersionScript],
  [(_, command) => /^php -r .*from mdl_files/s.test(command), runFileVerification],
  [(image, command) => MOODLE.test(image) && (command === "true" || FACTS.test(command)), runEntryPointInJob],
  [(image, command) => MOODLE.test(image) && command.includes("/bin/docker-entrypoint.sh"), runEntryPointInJob],
  [(image, command) => MOODLE.test(image) && command === "", runEntryPointAsServer],
  [(image, command) => POSTGRES.test(image) && command === "", servePostgres],
  [(_, command) => /^(sh|bash|\/bin\/sh) -c /.test(command), runShell],
  [(_, command) => /^sleep\b/.test(command), () => ({ lines: [], exit: null, ignoresSigterm: true })],
];

export function runProgram(context: ProgramContext): ProgramRun {
  const { world, pod, container } = context;
  const { namespace, name, labels = {} } = pod.metadata;
  const failing = world.faults.find("failing-job", namespace, labels["job-name"] ?? "\0");
  if (failing) return { lines: failing.log ?? ["failed by an injected fault"], exit: failing.exitCode ?? 1 };
  const hanging = world.faults.find("hanging-job", namespace, labels["job-name"] ?? "\0");
  if (hanging) return { lines: hanging.log ?? ["Waiting for db:5432 to be ready"], exit: null, ignoresSigterm: true };
  const crashing = pod.spec.containers.includes(container) ? world.faults.find("crash", namespace, name) : null;
  if (crashing) return { lines: crashing.log ?? ["crashed by an injected fault"], exit: crashing.exitCode ?? 1 };
  if (world.faults.find("oom", namespace, name)) {
    const line = "rsync error: error in rsync protocol data stream (code 12) at io.c(232)";
    return { lines: [line], exit: 12, reason: "OOMKilled" }; // the parent's exit code: its child was killed
  }
  const command = [...container.command ?? [], ...container.args ?? []].join(" ");
  const program = PROGRAMS.find(([fits]) => fits(container.image, command));
  if (program) return program[1](context);
  const forever = pod.spec.restartPolicy === "Always" && !pod.spec.initContainers?.includes(container);
  return { lines: [], exit: forever ? null : 0 };
}

/** Simulates a shell script with `echo` (to stdout or stderr), `exit` and `false`. A long `sleep` never ends. */
function runShell({ container, pod }: ProgramContext): ProgramRun {
  const script: string = [...container.command ?? [], ...container.args ?? []].slice(2).join(" ");
  const lines: string[] = [];
  for (const part of script.split(/;|&&|\n/).map((text) => text.trim())) {
    const echoed = /^echo (.*?)( *>&2)?$/.exec(part);
    if (echoed) lines.push(echoed[1]!.replace(/^(["'])(.*)\1$/, "$2"));
    const exit = /^exit (\d+)$/.exec(part);
    if (exit) return { lines, exit: Number(exit[1]) };
    if (part === "false") return { lines, exit: 1 };
    if (/^(exec )?sleep\b/.test(part) && (pod.spec.restartPolicy === "Always" || /infinity|\d{3,}/.test(part))) {
      return { lines, exit: null, ignoresSigterm: true };
    }
  }
  return { lines, exit: 0 };
}
