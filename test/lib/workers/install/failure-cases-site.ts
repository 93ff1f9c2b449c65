/** Defines failures of an installation: rejected API calls, failed Jobs, problems of the site and its certificate. */
import type { SimulatorFault } from "#lib/dev/simulator/faults.ts";
import type { FailureCase } from "./failure-cases.ts";

const status = (code: number, reason: string, message: string) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });
const job = (log: string[], exitCode = 1): SimulatorFault => ({
  type: "failing-job",
  name: "NS/install-",
  log,
  exitCode,
});

export const SITE_CASES: readonly FailureCase[] = [
  {
    slug: "opaque",
    name: "an admission webhook that denies what is applied, without the reason Forbidden",
    faults: [{
      type: "answer",
      status: 400,
      path: "NS/services",
      method: "POST",
      body: status(
        400,
        "",
        'admission webhook "gate.example.org" denied the request: the label cost-centre is missing',
      ),
    }],
    step: "database",
    code: "WebhookDenied",
    fault: "operator",
    message:
      /^Cannot write the service db because .*gate\.example\.org denies the request: .*the label cost-centre is missing$/,
    hint: /gate\.example\.org/,
  },
  {
    slug: "dangling",
    name: "an admission webhook that does not answer, until there is no time left",
    faults: [{
      type: "deny",
      name: "NS/files",
      kind: "PersistentVolumeClaim",
      message: 'Internal error occurred: failed calling webhook "gate.example.org": failed to call webhook: Post ' +
        '"https://gate.default.svc:443/?timeout=10s": dial tcp 10.96.3.4:443: connect: connection refused',
    }],
    timeLimit: 4000,
    step: "volumes",
    code: "WebhookUnreachable",
    fault: "operator",
    message:
      /^Gave up after \d+ attempts since [-\d]+ [\d:]+ UTC: Cannot write the PersistentVolumeClaim files because .*does not respond: Internal error/,
    hint: /Repair the service behind the webhook gate\.example\.org/,
  },
  {
    slug: "powerless",
    name: "a permission that is lacking",
    faults: [{
      type: "answer",
      status: 403,
      path: "NS/statefulsets",
      method: "POST",
      body: status(
        403,
        "Forbidden",
        'statefulsets.apps "db" is forbidden: User "system:serviceaccount:ww:wheelwright" cannot create resource ' +
          '"statefulsets" in API group "apps" in the namespace "NS"',
      ),
    }],
    step: "database",
    code: "Forbidden",
    fault: "operator",
    message:
      /^Cannot write the stateful set db because the account \S+:wheelwright may not create statefulsets: statefulsets\.apps "db" is forbidden/,
    hint: /ClusterRole.*RBAC/,
  },
  {
    slug: "keyless",
    name: "a secret that is missing",
    faults: [{
      type: "answer",
      status: 201,
      method: "POST",
      path: "NS/secrets",
      times: 1,
      body: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"moodle"}}',
    }],
    step: "database",
    code: "CreateContainerConfigError",
    fault: "operator",
    message: /^The container postgres of pod db-0 cannot be configured: secret "moodle" not found$/,
    hint: /The secret moodle does not exist/,
    event: "Failed",
  },
  {
    slug: "locked",
    name: "a database password that is wrong",
    faults: [job([
      "Generating config.php file...",
      "trying with DB_PASS=s3cret-and-long",
      'PHP Warning:  pg_connect(): Unable to connect to PostgreSQL server: connection to server at "db" (10.0.0.9), port ' +
      '5432 failed: FATAL:  password authentication failed for user "moodle" in /var/www/html/lib/dml on line 3',
      "We could not connect to the database you specified. Please check your database settings.",
      "*** Failed with return value: 0",
    ])],
    step: "install",
    code: "DatabasePassword",
    fault: "operator",
    message:
      /^Moodle could not be installed because the database refused the password: .*password authentication failed.*exit code 1\)$/,
    hint: /The Secret moodle/,
    log: /^trying with DB_PASS=\*\*\*$/m,
    event: "BackoffLimitExceeded",
  },
  {
    slug: "nameless",
    name: "a database whose host name cannot be resolved",
    faults: [job(['psql: error: could not translate host name "db" to address: Name does not resolve'], 2)],
    step: "install",
    code: "DatabaseNotFound",
    fault: "operator",
    message: /because the database's host name could not be resolved: .*could not translate host name "db"/,
    hint: /DNS.*network policies/,
    log: /could not translate host name/,
  },
  {
    slug: "cutoff",
    name: "a database that a network policy keeps away",
    faults: [job(['psql: error: connection to server at "db" (10.0.0.9), port 5432 failed: Connection timed out'], 2)],
    step: "install",
    code: "DatabaseUnreachable",
    fault: "operator",
    message: /because the database could not be reached: /,
    hint: /network policy/,
  },
  {
    slug: "buggy",
    name: "Moodle that fails with an error",
    faults: [
      job(['PHP Fatal error:  Uncaught Error: Class "IntlDateFormatter" not found in /var/www/html/lib/setup.php:7']),
    ],
    step: "install",
    code: "PhpFatal",
    fault: "operator",
    message:
      /because Moodle failed with an error: PHP Fatal error: {2}Uncaught Error: Class "IntlDateFormatter" not found/,
    hint: /choose another version/,
    log: /PHP Fatal error/,
  },
  {
    slug: "puzzling",
    name: "an install Job that fails for a reason that nobody knows",
    faults: [job(["Step 1", "something odd has failed\u0000 here", "*** Failed with return value: 0"], 77)],
    step: "install",
    code: "BackoffLimitExceeded",
    fault: "cluster",
    message:
      /^Moodle could not be installed because its Job failed: something odd has failed here \(Job has reached the specified backoff limit, exit code 77\)$/,
    hint: /last lines of the Job's log/,
    log: /something odd/,
  },
  {
    slug: "hungry",
    name: "too little memory",
    faults: [{ type: "oom", name: "NS/install-" }],
    step: "install",
    code: "OOMKilled",
    fault: "operator",
    message:
      /^Moodle could not be installed because there was too little memory: Container \w+ of pod install-\S+ ran out of memory/,
    hint: /sizes\.yaml/,
    log: /rsync error/,
  },
  {
    slug: "endless",
    name: "an install that is not done in its time",
    faults: [{ type: "hanging-job", name: "NS/install-", log: ["Waiting for db:5432 to be ready", "......"] }],
    step: "install",
    code: "DeadlineExceeded",
    fault: "cluster",
    message:
      /^Moodle could not be installed because the Job was still waiting: Waiting for db:5432 to be ready: Job was active longer than specified deadline/,
    hint: /db-0/,
    log: /Waiting for db:5432/,
    event: "DeadlineExceeded",
  },
  {
    slug: "looping",
    name: "an app that keeps crashing",
    faults: [{ type: "crash", name: "NS/moodle-", log: ["nginx: [emerg] host not found in upstream"], exitCode: 3 }],
    step: "app",
    code: "CrashLoopBackOff",
    fault: "cluster",
    message: /^The container moodle of pod moodle-\S+ keeps crashing \(Error, exit code 3\): back-off/,
    hint: /last lines of the container's log/,
    log: /\[emerg\]/,
    event: "BackOff",
  },
  {
    slug: "unwell",
    name: "a probe that fails until the rollout is stuck",
    faults: [{
      type: "unready",
      name: "NS/moodle",
      message: "Startup probe failed: curl: (7) Failed to connect to 127.0.0.1 port 8080 after 0 ms: Couldn't connect",
    }],
    step: "app",
    code: "ProgressDeadlineExceeded",
    fault: "cluster",
    message:
      /^Deployment moodle did not become ready in time: ReplicaSet "moodle-\S+" has timed out progressing\. Pod moodle-\S+ is not ready: Startup probe failed: curl.*\. Last log line: ready to handle connections$/,
    hint: /events and logs of the Deployment's pods/,
    event: "Unhealthy",
  },
  {
    slug: "elsewhere",
    name: "a domain of the customer's that leads elsewhere",
    domain: "moodle.school.example",
    faults: [{
      type: "uncertified",
      name: "NS/moodle-tls",
      message: "Waiting for HTTP-01 challenge propagation: failed to perform self check GET request " +
        "'http://moodle.school.example/.well-known/acme-challenge/x': Get \"http://moodle.school.example/\": dial tcp: " +
        "lookup moodle.school.example on 10.96.0.10:53: no such host",
    }],
    step: "ingress",
    code: "DomainNotFound",
    fault: "user",
    message:
      /^No certificate was issued for moodle\.school\.example because the domain moodle\.school\.example has no address: Waiting for HTTP-01/,
    hint: /DNS record for moodle\.school\.example/,
  },
  {
    slug: "throttled",
    name: "a certificate authority that limits",
    faults: [{
      type: "uncertified",
      name: "NS/moodle-tls",
      message:
        "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates already issued " +
        'for "example.org": see https://letsencrypt.org/docs/rate-limits/',
      final: true,
    }],
    step: "ingress",
    code: "CertificateRateLimited",
    fault: "operator",
    message: /the certificate authority's rate limit was reached: Failed to create Order: 429/,
    hint: /then retry/,
    event: "Failed",
  },
];
