/** Tests the scripts of small Jobs in a real shell, with fake curl and PHP programs. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { createSealedReply } from "#lib/drivers/crypto/sealed-reply.ts";
import { parseLoginPageStatus, parsePasswordResetResult } from "#lib/moodle/job-results.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import { builtIn, edited, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite<{ folder: string }>("the Jobs of actions");
const blueprint = openBlueprint(), inputs = inputsOf(blueprint);
test.before.each((context) => void (context.folder = mkdtempSync(join(tmpdir(), "wheelwright-"))));
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

function containerOf(job: BlueprintJobName, fence = "17") {
  const object = blueprint.jobObject(inputs, job, fence);
  return object["spec"].template.spec.containers[0];
}

/** Runs a Job's script with these fake programs, and the volume in `folder`. */
function run(folder: string, job: BlueprintJobName, programs: Record<string, string>, fence?: string) {
  for (const [name, text] of Object.entries({ sleep: "", ...programs })) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }
  const [shell, flag, script] = containerOf(job, fence).command;
  const text = String(script).replaceAll("/var/www/moodledata", folder);
  const { status, stdout } = spawnSync(shell, [flag, text], { env: { PATH: `${folder}:${process.env["PATH"]}` } });
  return { status, lines: stdout.toString().trim().split("\n") };
}

/** A fake curl that returns these statuses in order, and repeats the last one. */
function answering(folder: string, ...statuses: string[]): string {
  writeFileSync(join(folder, "answers"), statuses.join("\n") + "\n");
  const file = join(folder, "answers");
  return `head -n 1 ${file} | tr -d '\\n'\n[ $(wc -l < ${file}) -gt 1 ] && sed -i 1d ${file}\nexit 0`;
}

test("closed-job.yaml succeeds only with status 503, and waits for a site that does not answer", ({ folder }) => {
  for (
    const [answers, printed, status] of [
      [["503"], ["503"], 0],
      [["000", "502", "503"], ["000", "502", "503"], 0],
      [["200"], ["200", "200"], 1],
      [["303"], ["303", "303"], 1],
      [["200", "503"], ["200", "503"], 0],
      [["000"], Array(10).fill("000"), 1],
    ] as const
  ) {
    const { status: code, lines } = run(folder, "closed", { curl: answering(folder, ...answers) });
    assert.equal([code, lines], [status, printed], answers.join());
    assert.is(parseLoginPageStatus(lines), Number(printed.at(-1)) || null);
  }
});

test("maintenance-job.yaml runs Moodle's script, and refuses an older attempt", ({ folder }) => {
  const php = { php: 'echo "php $*"' }, script = "php /var/www/html/admin/cli/maintenance.php";
  assert.equal(run(folder, "maintenance-enable", php, "17"), { status: 0, lines: [`${script} --enable`] });
  assert.equal(run(folder, "maintenance-disable", php, "100"), { status: 0, lines: [`${script} --disable`] });
  assert.is(readFileSync(join(folder, "wheelwright-maintenance"), "utf8"), "100\n");
  assert.equal(run(folder, "maintenance-enable", php, "17"), {
    status: 1,
    lines: ["not switched: attempt 100 has begun after this one, 17"],
  });
  assert.is(run(folder, "maintenance-enable", php, "100").status, 0);
  assert.is(run(folder, "maintenance-enable", { php: "exit 7" }, "101").status, 7);
});

/** An entry point as in the built-in image. */
const ENTRY_POINT = `echo "start scripts"
exec runsvdir -P /etc/service &
RUNSVDIR=$!
sleep 5
for _srv in one two; do
    sv status "$_srv"
done
if [ $# -gt 0 ]; then
    exec "$@"
fi
trap shutdown TERM
`;

test("install-job.yaml runs the entry point without starting servers, and then prints the facts", ({ folder }) => {
  const { command: [shell, flag, script, ...rest], args } = containerOf("install"), file = join(folder, "entry.sh");
  const text = String(script).replaceAll("/tmp/", `${folder}/`).replace("/bin/docker-entrypoint.sh", file);
  const installWith = (entryPoint: string) => {
    writeFileSync(file, entryPoint);
    for (const name of ["php", "runsvdir", "sleep", "sv"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$1"\n`, { mode: 0o755 });
    }
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const { status, stdout } = spawnSync(shell, [flag, text, ...rest, ...args], { env });
    return { status, lines: stdout.toString().trim().split("\n") };
  };
  assert.equal(installWith(ENTRY_POINT), { status: 0, lines: ["start scripts", "php -r"] });
  assert.is(installWith("exit 3").status, 3);
  assert.equal(installWith('echo other\nexec "$@"').lines, ["other", "php -r"]);
});

test("password-job.yaml reads the password from the Secret, and passes it in no argument", () => {
  const { command, env, envFrom } = containerOf("password");
  assert.equal([command.length, command[0], command[1], envFrom], [3, "php", "-r", undefined]);
  assert.equal(env, [
    { name: "FENCE", value: "17" },
    { name: "ADMIN_PASSWORD", valueFrom: { secretKeyRef: { name: "admin", key: "ADMIN_PASSWORD" } } },
  ]);
  const script: string = command[2];
  assert.ok(script.startsWith("// ") && !script.includes("<?php"));
  assert.match(script, /ini_set\('zend.exception_ignore_args', '1'\)/);
  assert.not.match(script, /\$\(/);
});

test("toPhpArgument removes the opening tag and escapes variables of the kubelet", () => {
  const changed = edited("password.php", "<?php\n", "<?php\n$run = $(1); ");
  const job = createBlueprint(changed).jobObject(inputs, "password", "17");
  assert.match(job["spec"].template.spec.containers[0].command[2], /^\$run = \$\$\(1\); /);
  assert.throws(
    () => createBlueprint(builtIn({ "password.php": "echo 1;" })),
    (error: Error) => error.message.includes("password.php: it must begin with <?php"),
  );
});

const PHP = ["/usr/bin/php", "/usr/local/bin/php"].find((path) => existsSync(path));

test("the PHP scripts have no syntax errors", ({ folder }) => {
  for (const name of PHP ? ["password.php", "sign-in-link.php"] : []) {
    const file = join(folder, name);
    writeFileSync(file, builtIn()[name]!);
    const { status, stdout } = spawnSync(PHP!, ["-l", file]);
    assert.is(status, 0, stdout.toString());
  }
});

test("sign-in-link-job.yaml gets only a public key, ends soon, and hides arguments in traces", () => {
  const job = blueprint.jobObject(inputs, "sign-in-link", "0", { linkKey: "a key" });
  const [{ command, env, envFrom }] = job["spec"].template.spec.containers;
  assert.equal([env, envFrom], [[{ name: "LINK_KEY", value: "a key" }], undefined]);
  assert.match(command[2], /ini_set\('zend.exception_ignore_args', '1'\)/);
  assert.ok(job["spec"].activeDeadlineSeconds + job["spec"].ttlSecondsAfterFinished <= 90);
});

test("decrypts the link that sign-in-link.php encrypted", () => {
  const [code] = /function link_seal\(.*?\n}\n/s.exec(builtIn()["sign-in-link.php"]!)!;
  const mine = createSealedReply(),
    call = "echo extension_loaded('sodium') ? link_seal('said', base64_decode($argv[1])) : '';";
  const result = PHP && spawnSync(PHP, ["-r", `${code}\n${call}`, mine.publicKey]).stdout.toString();
  if (result) assert.is(mine.open(result), "said");
});

test("each Job's deadline is shorter than the timeout of its step", () => {
  const [, enable] = OPERATIONS["maintenance-on"].kind.steps,
    [disable] = OPERATIONS["maintenance-off"].kind.steps,
    [, account] = OPERATIONS["reset-admin-password"].kind.steps;
  for (
    const [job, step] of [
      ["maintenance-enable", enable],
      ["maintenance-disable", disable],
      ["closed", OPERATIONS["maintenance-on"].kind.steps[2]],
      ["purge", OPERATIONS["purge-caches"].kind.steps[0]],
      ["password", account],
    ] as const
  ) {
    const seconds = blueprint.jobObject(inputs, job, "17")["spec"].activeDeadlineSeconds;
    // A step waits for nine tenths of its timeout (lib/scheduler). A stopped pod has 30 seconds to end.
    assert.ok(seconds <= step!.timeout * 0.9 / 1000, `${job}: ${seconds}`);
    if (job !== "closed") assert.ok(seconds + 30 <= step!.timeout * 0.9 / 1000, `${job}: ${seconds}`);
  }
});

const read = suite("parsePasswordResetResult");

read("reads the script's last line, and the reason of a refusal", () => {
  const result = (...lines: string[]) => parsePasswordResetResult(lines);
  assert.equal(result("account set", "sessions ended", "mailed", "agreed"), {
    agreed: true,
    mailed: true,
    refused: null,
  });
  const unmailed = result("account set", "not mailed: the site sends no mail", " agreed ");
  assert.equal(unmailed, { agreed: true, mailed: false, refused: null });
  assert.equal(result("account set", "The account does not accept the password of the Secret").agreed, false);
  assert.is(result("refused: the account admin is suspended").refused, "the account admin is suspended");
  assert.equal(result(), { agreed: false, mailed: false, refused: null });
});

test.run();
read.run();
