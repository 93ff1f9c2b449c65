import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import {
  aboutObject,
  assertImpossible,
  assertWaiting,
  event,
  job,
  pod,
  waitClockAt,
} from "#test/support/kube/samples.ts";

const test = suite("diagnoseImagePull");

const NAME = "registry.example.org/acme/denied-lists:v1";
const pulling = (message: string, reason = "ImagePullBackOff") =>
  pod(job(), {
    containerStatuses: [{ name: "moodle", image: NAME, state: { waiting: { reason, message } } }],
  }, { containers: [{ name: "moodle", image: NAME }] });
const backOff = (why: string) => pulling(`Back-off pulling image "${NAME}": ErrImagePull: ${why}`);

/** Messages of runtimes and registries, whether the back-off ends the wait, and the subject of the hint. */
const WORDS: readonly (readonly [who: string, says: string, final: boolean, hint: RegExp])[] = [
  [
    "containerd",
    `rpc error: code = NotFound desc = failed to pull and unpack image "${NAME}": failed to resolve reference "${NAME}": ${NAME}: not found`,
    true,
    /image does not exist/,
  ],
  [
    "CRI-O",
    `initializing source docker://${NAME}: reading manifest v1 in registry.example.org/acme: manifest unknown`,
    true,
    /image does not exist/,
  ],
  [
    "dockerd",
    `rpc error: code = Unknown desc = Error response from daemon: manifest for ${NAME} not found: manifest unknown`,
    true,
    /image does not exist/,
  ],
  [
    "CRI-O, of a short name",
    'short-name "moodle" did not resolve to an alias and no unqualified-search registries are defined',
    true,
    /image does not exist/,
  ],
  [
    "Docker Hub",
    "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed",
    true,
    /credentials/,
  ],
  [
    "a private registry",
    `failed to resolve reference "${NAME}": unexpected status from HEAD request to https://registry.example.org/v2/: 401 Unauthorized`,
    true,
    /credentials/,
  ],
  [
    "CRI-O, with a wrong password",
    "unable to retrieve auth token: invalid username/password: unauthorized",
    true,
    /credentials/,
  ],
  ["Amazon's registry", "no basic auth credentials", true, /credentials/],
  [
    "Docker Hub, of its limit",
    "toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading",
    false,
    /rate limit was reached/,
  ],
  [
    "Docker Hub, of its limit since 2025",
    `unexpected status from HEAD request to https://registry-1.docker.io/v2/x/manifests/1: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit`,
    false,
    /rate limit was reached/,
  ],
  [
    "a node without DNS",
    'failed to do request: Head "https://registry.invalid/v2/": dial tcp: lookup registry.invalid on 10.0.0.2:53: no such host',
    true,
    /host name/,
  ],
  [
    "temporary DNS failure on a node",
    "dial tcp: lookup registry-1.docker.io on 127.0.0.53:53: server misbehaving",
    false,
    /cannot reach/,
  ],
  ["a slow network", 'Head "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout', false, /cannot reach/],
  ["registry down", "dial tcp 192.0.2.1:443: connect: connection refused", false, /cannot reach/],
  [
    "a private authority",
    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    false,
    /trust/,
  ],
  ["containerd, wrong architecture", "no match for platform in manifest: not found", true, /CPU architecture/],
  [
    "CRI-O, of another processor",
    'no image found in image index for architecture arm64, variant "v8", OS linux',
    true,
    /CPU architecture/,
  ],
  ["a full disk", "write /var/lib/containerd/ingest/x: no space left on device", false, /disk space/],
  ["registry error", "unexpected status code 500 Internal Server Error", false, /images\.yaml/],
  ["unknown runtime", "the moon is in the wrong quarter", false, /images\.yaml/],
];

for (const [who, says, final, hint] of WORDS) {
  test(`understands ${who}`, () => {
    const early = diagnoseObject(job(), [backOff(says)], [], waitClockAt(SECOND));
    if (final) assertImpossible(early, "ErrImagePull", says);
    else assertWaiting(early, /^Waiting for the image registry\.example\.org\/acme\/denied-lists:v1: /);
    const late = diagnoseObject(job(), [backOff(says)], [], waitClockAt(4 * MINUTE));
    assertImpossible(late, "ErrImagePull", says);
    assert.match(late.is === "impossible" ? late.hint! : "", hint);
    assert.match(
      late.is === "impossible" ? late.message : "",
      /^The image \S+:v1 cannot be pulled \(container moodle of pod install-1-abc\): /,
    );
  });
}

test("is not misled by words in the image's name", () => {
  assertWaiting(
    diagnoseObject(job(), [backOff(`failed to pull image "${NAME}": connection reset`)], [], waitClockAt(SECOND)),
    /reset/,
  );
});

test("reads the reason of an older kubelet from the event", () => {
  const waiting = pulling(`Back-off pulling image "${NAME}"`);
  const failedEvent = event(aboutObject(waiting), "Failed", `Failed to pull image "${NAME}": manifest unknown`);
  assertImpossible(
    diagnoseObject(job(), [waiting], [failedEvent], waitClockAt(SECOND)),
    "ErrImagePull",
    "manifest unknown",
  );
});

for (const reason of ["InvalidImageName", "ErrImageNeverPull", "SignatureValidationFailed"]) {
  test(`fails immediately on ${reason}`, () => {
    assertImpossible(
      diagnoseObject(job(), [pulling("couldn't parse", reason)], [], waitClockAt(0)),
      reason,
      "couldn't parse",
    );
  });
}

test.run();
