<?php
// Checks, deletes or restores packages in the volume of a hub's library. Runs without Moodle, as `php -r` or from a file.
// Environment: MODE (check, delete or restore), PACKAGES (JSON: [["sha256", bytes], ...]), LIBRARY_DIR, BACKUP_DIR.
//
// The last line has the packages that the library has afterwards, in the order of PACKAGES: 1 for a package, 0 for none.
//   packages {"present":"101","used":1234,"free":5678,"copied":1,"damaged":0}
ini_set('display_errors', 'stderr');

const PACKAGES_RESERVE = 33554432; // bytes of the disk that remain free

/** Returns whether the file is there and has the right size. The server writes a package to another name first. */
function packages_has(string $directory, string $sha256, int $bytes): bool {
    clearstatcache();
    return @filesize("$directory/$sha256.mbz") === $bytes;
}

/** Copies a package from the backup. Returns false if its content is not the right one. */
function packages_copy(string $from, string $to, string $sha256): bool {
    $path = "$to/.upload-restore-" . bin2hex(random_bytes(8)); // the server deletes such files after a day
    $source = fopen("$from/$sha256.mbz", 'r');
    $target = fopen($path, 'x');
    $hash = hash_init('sha256');
    while (!feof($source)) {
        $part = (string) fread($source, 1048576);
        hash_update($hash, $part);
        if (fwrite($target, $part) !== strlen($part)) {
            @unlink($path);
            throw new RuntimeException('the disk of the library is full');
        }
    }
    $issynced = fflush($target) && fsync($target);
    fclose($source);
    fclose($target);
    if (!$issynced) {
        @unlink($path);
        throw new RuntimeException('the disk of the library cannot be written');
    }
    if (hash_final($hash) !== $sha256) {
        unlink($path);
        return false;
    }
    return rename($path, "$to/$sha256.mbz");
}

function packages_run(string $mode, array $packages, string $library, string $backup): array {
    $result = ['present' => '', 'used' => null, 'free' => null, 'copied' => 0, 'damaged' => 0];
    foreach ($packages as [$sha256, $bytes]) {
        if (!preg_match('/^[0-9a-f]{64}$/D', $sha256)) {
            throw new RuntimeException('PACKAGES has a name that is no SHA-256');
        }
        $ishere = packages_has($library, $sha256, $bytes);
        if ($mode === 'delete') {
            if (file_exists("$library/$sha256.mbz") && !unlink("$library/$sha256.mbz")) {
                throw new RuntimeException("the package $sha256 cannot be deleted");
            }
            $ishere = false;
        } else if ($mode === 'restore' && !$ishere && packages_has($backup, $sha256, $bytes)) {
            if ((float) disk_free_space($library) < $bytes + PACKAGES_RESERVE) {
                throw new RuntimeException('the disk of the library is full');
            }
            $ishere = packages_copy($backup, $library, $sha256);
            $result[$ishere ? 'copied' : 'damaged']++;
        }
        $result['present'] .= $ishere ? '1' : '0';
    }
    $free = @disk_free_space($library);
    $total = @disk_total_space($library);
    if ($free !== false && $total !== false) {
        $result['free'] = (int) $free;
        $result['used'] = (int) ($total - $free);
    }
    return $result;
}

try {
    $packages = json_decode((string) getenv('PACKAGES'), true, 4, JSON_THROW_ON_ERROR);
    $library = (string) (getenv('LIBRARY_DIR') ?: '/library');
    $backup = (string) (getenv('BACKUP_DIR') ?: '/backup');
    $result = packages_run((string) getenv('MODE'), $packages, $library, $backup);
    echo 'packages ', json_encode($result), "\n";
} catch (\Throwable $error) {
    echo 'failed: ', $error->getMessage(), "\n";
    exit(1);
}
