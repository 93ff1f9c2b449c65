<?php
// Stores the course packages of a hub in a directory and serves them over HTTP. Runs without Moodle, as `php -r` or from
// a file, in one process. Environment: LIBRARY_KEY (hexadecimal), LIBRARY_DIR, LIBRARY_LIMIT (bytes of one package), LIBRARY_PORT.
//
//   PUT /uploads/{name}         stores the body as {sha256}.mbz: 201 {"sha256":"...","bytes":1}
//   GET, HEAD /packages/{sha256}
//   GET /healthz                needs no ticket
//
// A request has the header "Authorization: Ticket {expires}.{hex}", with expires in Unix seconds and hex = HMAC-SHA256 of
// "METHOD PATH EXPIRES". HEAD uses the ticket of GET.
//
// PHP's built-in server is no choice. It keeps a whole request body in memory before a script can check the ticket: an
// upload of 300 MB takes 300 MB. This server checks the ticket first and needs about 1 MiB per connection.
ini_set('display_errors', 'stderr');

final class PackageLibrary
{
    private const CHUNK = 262144;
    private const HEAD_LIMIT = 8192;
    private const HEAD_SECONDS = 15;
    private const IDLE_SECONDS = 60;
    private const DRAIN_SECONDS = 10;
    private const CONNECTIONS = 100;
    private const RESERVE = 33554432; // bytes of the disk that remain free
    private const SYNC_BYTES = 33554432; // written to the disk in parts, so that no single write takes long
    private const REASONS = [
        200 => 'OK', 201 => 'Created', 400 => 'Bad Request', 401 => 'Unauthorized', 403 => 'Forbidden', 404 => 'Not Found',
        405 => 'Method Not Allowed', 411 => 'Length Required', 413 => 'Content Too Large',
        431 => 'Request Header Fields Too Large', 500 => 'Internal Server Error', 507 => 'Insufficient Storage',
    ];

    /** @var array<int, object> the open connections, by the id of their socket */
    private array $connections = [];
    private int $cleanedat = 0;

    public function __construct(private string $key, private string $directory, private int $limit) {
    }

    public function run(int $port): never {
        $options = stream_context_create(['socket' => ['backlog' => 64]]);
        $flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
        $server = stream_socket_server("tcp://0.0.0.0:$port", $number, $message, $flags, $options);
        if (!$server) {
            fwrite(STDERR, "Cannot listen on port $port: $message\n");
            exit(1);
        }
        stream_set_blocking($server, false);
        echo 'Listening on port ', substr(strrchr(stream_socket_get_name($server, false), ':'), 1), "\n";
        while (true) {
            $this->clean();
            $read = count($this->connections) < self::CONNECTIONS ? [$server] : [];
            $write = [];
            foreach ($this->connections as $one) {
                if ($one->state === 'answer') {
                    $write[] = $one->socket;
                } else {
                    $read[] = $one->socket;
                }
            }
            $except = null;
            if (@stream_select($read, $write, $except, 1) === false) {
                continue; // a signal
            }
            foreach ($read as $socket) {
                if ($socket === $server) {
                    $this->accept($server);
                } else {
                    $this->receive($this->connections[get_resource_id($socket)]);
                }
            }
            foreach ($write as $socket) {
                if (isset($this->connections[get_resource_id($socket)])) {
                    $this->send($this->connections[get_resource_id($socket)]);
                }
            }
        }
    }

    /** Closes connections that make no progress. Removes temporary files over a day old, once an hour. */
    private function clean(): void {
        $now = time();
        foreach ($this->connections as $one) {
            $limits = ['head' => self::HEAD_SECONDS, 'drain' => self::DRAIN_SECONDS];
            if ($now - $one->at > ($limits[$one->state] ?? self::IDLE_SECONDS)) {
                $this->close($one);
            }
        }
        if ($now - $this->cleanedat > 3600) {
            $this->cleanedat = $now;
            foreach (glob("$this->directory/.upload-*") ?: [] as $file) {
                if ((int) @filemtime($file) < $now - 86400) {
                    @unlink($file);
                }
            }
        }
    }

    private function accept($server): void {
        $socket = @stream_socket_accept($server, 0);
        if ($socket) {
            stream_set_blocking($socket, false);
            stream_set_read_buffer($socket, 0);
            $this->connections[get_resource_id($socket)] = (object) [
                'socket' => $socket, 'state' => 'head', 'at' => time(), 'head' => '', 'sending' => '', 'request' => '-',
                'upload' => null, 'file' => null, 'left' => 0, 'isdraining' => false,
            ];
        }
    }

    private function close(object $one): void {
        unset($this->connections[get_resource_id($one->socket)]);
        fclose($one->socket);
        if ($one->file) {
            fclose($one->file);
        }
        $this->dropUpload($one);
    }

    private function dropUpload(object $one): void {
        if ($one->upload) {
            fclose($one->upload->file);
            @unlink($one->upload->path);
            $one->upload = null;
        }
    }

    private function receive(object $one): void {
        $bytes = @fread($one->socket, $one->state === 'head' ? self::HEAD_LIMIT : self::CHUNK);
        if ($bytes === false || $bytes === '') {
            if ($bytes === false || feof($one->socket)) {
                $this->close($one);
            }
            return;
        }
        if ($one->state === 'body') {
            $this->store($one, $bytes);
        } else if ($one->state === 'head') {
            $one->head .= $bytes;
            $end = strpos($one->head, "\r\n\r\n");
            if ($end === false && strlen($one->head) > self::HEAD_LIMIT) {
                $this->refuse($one, 431, 'The head of the request is too long');
            } else if ($end !== false) {
                $this->handle($one, substr($one->head, 0, $end), substr($one->head, $end + 4));
            }
        }
    }

    private function handle(object $one, string $head, string $body): void {
        $lines = explode("\r\n", $head);
        $headers = [];
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)][] = trim($value);
        }
        if (!preg_match('~^([A-Z]{1,16}) (/[\x21-\x7e]{0,400}) HTTP/1\.[01]$~D', $lines[0], $parts)) {
            $this->refuse($one, 400, 'This is no HTTP request');
            return;
        }
        [, $method, $path] = $parts;
        if ($path === '/healthz') {
            $this->answer($one, in_array($method, ['GET', 'HEAD'], true) ? 200 : 405, 'ok', 'text/plain');
            return;
        }
        $isupload = (bool) preg_match('~^/uploads/[a-z0-9_]{1,64}$~D', $path);
        if (!$isupload && !preg_match('~^/packages/[0-9a-f]{64}$~D', $path)) {
            $this->refuse($one, 404, 'This address does not exist');
            return;
        }
        $one->request = "$method $path";
        if (!in_array($method, $isupload ? ['PUT'] : ['GET', 'HEAD'], true)) {
            $this->refuse($one, 405, 'This address does not allow the method');
            return;
        }
        $refusal = $this->checkTicket(($method === 'HEAD' ? 'GET' : $method) . " $path", $headers['authorization'] ?? []);
        if ($refusal) {
            $this->refuse($one, $refusal, $refusal === 403 ? 'The ticket has expired' : 'The ticket is missing or wrong');
        } else if ($isupload) {
            $this->beginUpload($one, $headers, substr($path, strlen('/uploads/')), $body);
        } else {
            $this->beginDownload($one, $method, substr($path, strlen('/packages/')));
        }
    }

    private function checkTicket(string $request, array $given): int {
        $isone = count($given) === 1 && preg_match('/^Ticket (\d{1,12})\.([0-9a-f]{64})$/D', $given[0], $parts);
        if (!$isone || !hash_equals(hash_hmac('sha256', "$request $parts[1]", $this->key), $parts[2])) {
            return 401;
        }
        return (int) $parts[1] < time() ? 403 : 0;
    }

    private function beginUpload(object $one, array $headers, string $name, string $body): void {
        $lengths = $headers['content-length'] ?? [];
        if (isset($headers['transfer-encoding']) || !$lengths) {
            $this->refuse($one, 411, 'The request has no Content-Length');
        } else if (count($lengths) > 1 || !preg_match('/^0*([1-9]\d{0,14})$/D', $lengths[0], $parts)) {
            $this->refuse($one, 400, 'The Content-Length is wrong');
        } else if ((int) $parts[1] > $this->limit) {
            $this->refuse($one, 413, "A package has at most $this->limit bytes");
        } else {
            $expected = 0; // bytes that other uploads still write
            foreach ($this->connections as $other) {
                $expected += $other->upload->left ?? 0;
            }
            $path = "$this->directory/.upload-$name-" . bin2hex(random_bytes(8));
            $free = (float) @disk_free_space($this->directory);
            $file = $free - $expected - self::RESERVE < (int) $parts[1] ? false : @fopen($path, 'x');
            if (!$file) {
                $this->refuse($one, 507, 'The disk of the library is full or cannot be written');
                return;
            }
            $one->upload = (object) [
                'path' => $path, 'file' => $file, 'hash' => hash_init('sha256'), 'bytes' => (int) $parts[1],
                'left' => (int) $parts[1], 'unsynced' => 0,
            ];
            $one->state = 'body';
            if (strtolower($headers['expect'][0] ?? '') === '100-continue') {
                @fwrite($one->socket, "HTTP/1.1 100 Continue\r\n\r\n");
            }
            $this->store($one, $body);
        }
    }

    private function store(object $one, string $bytes): void {
        $one->at = time();
        $upload = $one->upload;
        $bytes = substr($bytes, 0, $upload->left);
        if ($bytes !== '' && @fwrite($upload->file, $bytes) !== strlen($bytes)) {
            $this->refuse($one, 507, 'The disk of the library is full');
            return;
        }
        hash_update($upload->hash, $bytes);
        $upload->left -= strlen($bytes);
        $upload->unsynced += strlen($bytes);
        $isdone = $upload->left === 0;
        if (($isdone || $upload->unsynced >= self::SYNC_BYTES) && !@fdatasync($upload->file)) {
            $this->refuse($one, 507, 'The disk of the library cannot be written');
            return;
        }
        $upload->unsynced = $upload->unsynced >= self::SYNC_BYTES ? 0 : $upload->unsynced;
        if ($isdone) {
            $sha256 = hash_final($upload->hash);
            if (!@rename($upload->path, "$this->directory/$sha256.mbz")) {
                $this->refuse($one, 500, 'The package cannot be stored');
                return;
            }
            fclose($upload->file);
            $one->upload = null;
            $this->answer($one, 201, json_encode(['sha256' => $sha256, 'bytes' => $upload->bytes]));
        }
    }

    private function beginDownload(object $one, string $method, string $sha256): void {
        $file = @fopen("$this->directory/$sha256.mbz", 'r');
        if (!$file) {
            $this->refuse($one, 404, 'The library has no such package');
            return;
        }
        $one->left = fstat($file)['size'];
        $this->answer($one, 200, '', 'application/vnd.moodle.backup', $one->left);
        if ($method === 'GET') {
            $one->file = $file;
        } else {
            fclose($file);
        }
    }

    private function refuse(object $one, int $status, string $message): void {
        $this->dropUpload($one);
        $one->isdraining = true; // a client that still sends would otherwise lose the answer
        $this->answer($one, $status, json_encode(['error' => $message]));
    }

    private function answer(object $one, int $status, string $body, string $type = 'application/json', ?int $length = null): void {
        $one->state = 'answer';
        $one->at = time();
        $length ??= strlen($body);
        $one->sending = "HTTP/1.1 $status " . self::REASONS[$status] . "\r\nContent-Type: $type\r\nContent-Length: $length\r\n"
            . "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n$body";
        if ($type !== 'text/plain') { // not the health checks
            echo "$one->request $status\n";
        }
    }

    private function send(object $one): void {
        if ($one->sending === '' && $one->file && $one->left > 0) {
            $one->sending = (string) fread($one->file, min(self::CHUNK, $one->left));
            if ($one->sending === '') { // the file is shorter than before; the client notices
                $this->close($one);
                return;
            }
            $one->left -= strlen($one->sending);
        }
        $count = @fwrite($one->socket, $one->sending);
        if ($count === false) {
            $this->close($one);
            return;
        }
        $one->at = $count > 0 ? time() : $one->at;
        $one->sending = substr($one->sending, $count);
        if ($one->sending === '' && !($one->file && $one->left > 0)) {
            stream_socket_shutdown($one->socket, STREAM_SHUT_WR);
            $one->state = 'drain';
            if (!$one->isdraining) {
                $this->close($one);
            }
        }
    }
}

if (PHP_SAPI !== 'cli') {
    error_log('Start library.php with "php library.php", not with "php -S"');
    http_response_code(500);
    exit;
}
$key = (string) getenv('LIBRARY_KEY');
$directory = (string) (getenv('LIBRARY_DIR') ?: '/library');
if (!preg_match('/^([0-9a-f]{2}){32,}$/Di', $key) || !is_dir($directory)) {
    fwrite(STDERR, "LIBRARY_KEY must have 64 or more hexadecimal digits, and LIBRARY_DIR must be a directory\n");
    exit(1);
}
if (function_exists('pcntl_async_signals')) { // process 1 of a container ignores SIGTERM otherwise
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, fn() => exit(0));
}
(new PackageLibrary(hex2bin($key), $directory, (int) (getenv('LIBRARY_LIMIT') ?: 2147483648)))
    ->run((int) (getenv('LIBRARY_PORT') === false ? 8080 : getenv('LIBRARY_PORT')));
