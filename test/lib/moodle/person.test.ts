/** Runs the functions of person.php with a real PHP and stand-ins for Moodle's functions. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { missingPhpReason } from "#test/support/php.ts";

const test = suite(`person.php${missingPhpReason === null ? "" : `: skipped, ${missingPhpReason}`}`);
const inPhp = missingPhpReason === null ? test : test.skip;

/** Moodle's functions as far as the script calls them. `$world` has the accounts, preferences and ended sessions. */
const MOODLE = `
namespace core\\session {
    class manager { public static function destroy_user_sessions($id) { global $world; $world['ended'][] = (int) $id; } }
}
namespace {
    $CFG = (object) ['mnet_localhost_id' => 1];
    $world = json_decode($argv[1], true);
    class core_text { public static function strtolower($text) { return strtolower($text); } }
    class database {
        public function get_records_select($table, $where, $params, $sort) {
            global $world;
            $linked = array_column(array_filter($world['links'], fn ($one) => strtolower($one['email']) === $params[1]), 'userid');
            return array_map(fn ($one) => (object) $one, array_filter(
                $world['users'],
                fn ($one) => strtolower($one['email']) === $params[0] || in_array($one['id'], $linked, true)
            ));
        }
    }
    $DB = new database();
    function is_siteadmin($id) { return (int) $id === 2; }
    function user_update_user($user) { global $world; $world['users'][$user->id]['suspended'] = $user->suspended; }
    function get_user_preferences($name, $default, $id) { global $world; return $world['marks'][$id] ?? $default; }
    function set_user_preference($name, $value, $id) { global $world; $world['marks'][$id] = $value; }
    function unset_user_preference($name, $id) { global $world; unset($world['marks'][$id]); }
    function get_config($plugin, $name) { global $world; return $world['config'][$name] ?? false; }
    function set_config($name, $value, $plugin) { global $world; $world['config'][$name] = $value; }
    function mtrace($text) { fwrite(STDERR, $text . "\\n"); }
    register_shutdown_function(function () { global $world; echo json_encode($world); });
`;

interface World {
  readonly users: Readonly<Record<string, { id: number; email: string; suspended: number }>>;
  readonly links: readonly { email: string; userid: number }[];
  readonly marks?: Readonly<Record<string, number>>;
  readonly ended?: readonly number[];
  readonly config?: Readonly<Record<string, string>>;
}

const WORLD: World = {
  users: {
    2: { id: 2, email: "admin@school.example", suspended: 0 },
    3: { id: 3, email: "Cy@school.example", suspended: 0 },
    4: { id: 4, email: "changed@school.example", suspended: 0 },
    5: { id: 5, email: "cy@school.example", suspended: 1 },
    6: { id: 6, email: "bo@school.example", suspended: 0 },
  },
  links: [{ email: "cy@school.example", userid: 4 }],
};

async function run(world: World, action: string, email: string, fence = "7") {
  const script = await readFile("lib/moodle/manifests/person.php", "utf8");
  const own = script.slice(script.indexOf("/** The preference of accounts"));
  const { status, output } = runPhp(`${MOODLE}${own}}`, JSON.stringify(world), {
    ACTION: action,
    EMAIL: email,
    FENCE: fence,
  });
  return { status, after: JSON.parse(output) as World };
}

function runPhp(source: string, argument: string, env: Record<string, string>): { status: number; output: string } {
  try {
    const output = execFileSync("php", ["-r", source, "--", argument], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    return { status: 0, output };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { status, output: stdout };
  }
}

const suspendedIn = ({ users }: World) => Object.values(users).filter(({ suspended }) => suspended).map(({ id }) => id);

inPhp("suspends all accounts of the person, in any case and by their link, and ends their sessions", async () => {
  const { status, after } = await run(WORLD, "suspend-person", "CY@school.example");
  assert.is(status, 0);
  assert.equal(suspendedIn(after), [3, 4, 5]);
  assert.equal(after.ended, [3, 4, 5]);
  const again = await run(after, "suspend-person", "cy@school.example");
  assert.equal([suspendedIn(again.after), again.after.marks], [[3, 4, 5], after.marks]);
});

inPhp("reinstates only the accounts that it suspended", async () => {
  const { after } = await run(WORLD, "suspend-person", "cy@school.example");
  const back = await run(after, "reinstate-person", "cy@school.example");
  assert.equal(suspendedIn(back.after), [5], "the school had suspended this account");
});

inPhp("refuses an administrator, and changes nothing", async () => {
  const { status, after } = await run(WORLD, "suspend-person", "admin@school.example");
  assert.equal([status, suspendedIn(after), after.ended], [3, [5], undefined]);
});

inPhp("does nothing after a later attempt has begun", async () => {
  const later = await run(WORLD, "reinstate-person", "cy@school.example", "9");
  const { status, after } = await run(later.after, "suspend-person", "cy@school.example", "8");
  assert.equal([status, suspendedIn(after)], [1, [5]]);
});

test.run();
