<?php
// Stand-ins for Moodle's functions and classes as far as sign-on.php uses them. Tables are arrays, read from and written
// to JSON. A class of records has the table's name.

namespace core {
    class invalid_persistent_exception extends \Exception {}

    abstract class persistent {
        public function __construct(private array $row) {}
        public function get(string $name) {
            $value = $this->row[$name] ?? null;
            return in_array($name, ['enabled', 'requireconfirmation'], true) ? (bool) $value : $value;
        }
        public function set(string $name, $value): void { $this->row[$name] = $value; }
        public function update(): void {
            \world::write(static::TABLE, $this->check());
        }
        public function create(): static {
            $this->row['id'] = \world::nextid(static::TABLE);
            $this->update();
            return $this;
        }
        private function check(): array {
            foreach (['baseurl', 'url'] as $name) {
                if (($this->row[$name] ?? '') !== '' && !str_starts_with($this->row[$name], 'https://')) {
                    throw new invalid_persistent_exception('For security reasons only https connections are allowed, sorry.');
                }
            }
            return $this->row;
        }
        public static function get_records(array $filter, string $sort = ''): array {
            if (array_intersect(['clientid', 'clientsecret', 'baseurl', 'url'], array_keys($filter))) {
                throw new \Exception('textconditionsnotallowed');
            }
            $rows = array_filter(\world::$tables[static::TABLE] ?? [], fn ($row) => array_intersect_assoc($filter, $row) == $filter);
            return array_map(fn ($row) => new static($row), array_values($rows));
        }
        public static function get_record(array $filter): static|false {
            return static::get_records($filter)[0] ?? false;
        }
    }
}

namespace core\oauth2 {
    class issuer extends \core\persistent {
        const TABLE = 'oauth2_issuer';
        const EVERYWHERE = 1;
    }
    class endpoint extends \core\persistent {
        const TABLE = 'oauth2_endpoint';
    }
    class user_field_mapping extends \core\persistent {
        const TABLE = 'oauth2_user_field_mapping';
    }
    class api {
        public static function create_issuer(object $values): issuer { return (new issuer((array) $values))->create(); }
        public static function create_endpoint(object $values): endpoint { return (new endpoint((array) $values))->create(); }
        public static function create_user_field_mapping(object $values): user_field_mapping {
            return (new user_field_mapping((array) $values))->create();
        }
    }
}

namespace {
    const AUTH_PASSWORD_NOT_CACHED = 'not cached';

    class world {
        public static array $tables = [];
        /** The number of times that a record was written. */
        public static int $writes = 0;
        public static function write(string $table, array $row): void {
            self::$tables[$table][(string) $row['id']] = $row;
            self::saved();
        }
        /** Counts the write, and stores the tables in a file, as a database does that outlives the script. */
        public static function saved(): void {
            self::$writes++;
            if (getenv('TABLES_FILE')) {
                file_put_contents(getenv('TABLES_FILE'), json_encode(self::$tables));
            }
            if (self::$writes === (int) getenv('KILL_AFTER')) {
                posix_kill(posix_getpid(), SIGKILL);
            }
        }
        public static function nextid(string $table): int {
            return max([0, ...array_keys(self::$tables[$table] ?? [])]) + 1;
        }
    }

    class core_plugin_manager {
        public static function resolve_plugininfo_class(string $type): string { return 'auth_plugininfo'; }
    }
    class auth_plugininfo {
        public static function enable_plugin(string $name, int $enabled): void { world::$tables['config']['auth'] = $name; }
    }

    class curl {
        public string $error = '';
        private array $headers = [];
        private array $info = [];
        public function setHeader(array|string $header): void { array_push($this->headers, ...(array) $header); }
        public function get_info(): array { return $this->info; }
        public function get(string $url, array $params = [], array $options = []): string { return $this->request('GET', $url, ''); }
        public function post(string $url, string $body, array $options): string {
            return $this->request($options['CURLOPT_CUSTOMREQUEST'] ?? 'POST', $url, $body);
        }
        private function request(string $method, string $url, string $body): string {
            $http = ['method' => $method, 'header' => $this->headers, 'content' => $body, 'timeout' => 10, 'ignore_errors' => true];
            $ssl = ['cafile' => getenv('CA_FILE'), 'verify_peer' => true];
            $answer = @file_get_contents($url, false, stream_context_create(['ssl' => $ssl, 'http' => $http]));
            $this->error = $answer === false ? 'no connection' : '';
            $this->info = ['http_code' => (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0)];
            return $answer === false ? $this->error : $answer;
        }
    }

    class transaction {
        public function allow_commit(): void {}
    }

    class database {
        public function start_delegated_transaction(): transaction { return new transaction(); }
        /** Understands the two conditions that sign-on.php has. */
        public function set_field_select(string $table, string $field, string $value, string $where, array $params): void {
            preg_match_all("/(auth|password) (?:= '([^']*)'|IN \(([^)]*)\))/", $where, $found, PREG_SET_ORDER);
            $linked = array_column(array_filter(
                world::$tables['auth_oauth2_linked_login'] ?? [],
                fn ($link) => (int) $link['issuerid'] === (int) $params[0]
            ), 'userid');
            foreach (world::$tables[$table] ?? [] as $id => $row) {
                $values = fn (array $one): array => preg_match_all("/'([^']*)'/", $one[0], $texts) ? $texts[1] : [];
                $fits = array_reduce($found, fn ($fits, $one) => $fits && in_array($row[$one[1]] ?? '', $values($one), true), true);
                if ($fits && in_array((int) $id, array_map('intval', $linked), true) && !($row['deleted'] ?? 0)) {
                    world::$tables[$table][$id][$field] = $value;
                }
            }
        }
    }

    function get_config(string $plugin, string $name) { return world::$tables['config'][$name] ?? false; }
    function set_config(string $name, $value, ?string $plugin = null): void {
        world::$tables['config'][$name] = (string) $value;
        world::saved();
    }
    function mtrace(string $line): void { fwrite(STDERR, $line . "\n"); }
    function seed_setting(string $name): ?string { return getenv('SEED_' . $name) ?: null; }

    $DB = new database();
    world::$tables = json_decode($argv[1], true);
    require $argv[2];
    [$function, $arguments] = json_decode($argv[3], true);
    $result = $function(...$arguments);
    echo json_encode(['tables' => world::$tables, 'writes' => world::$writes, 'result' => $result]);
}
