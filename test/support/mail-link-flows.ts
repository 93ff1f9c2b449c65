/** Prepares tests of one-time links in emails. Password hashing is fake and fast. Tests run the queued jobs themselves,
 * without a scheduler.
 *
 *   const flows = await openMailLinkFlows({ SIGNUP: "on" });
 *   await flows.post("/api/auth/forgot-password", { email });
 *   await flows.work();                                    // runs the jobs that the request queued
 *   const { token } = await flows.postman.next(email);     // sends the email */
import { createHash } from "node:crypto";
import type { App } from "#lib/app.ts";
import { addOneTimeTokenSecret, createOneTimeToken, type LinkPurpose } from "#lib/domains/auth/one-time-tokens.ts";
import type { PasswordHasher } from "#lib/drivers/crypto/password.ts";
import { createId } from "#lib/base/ids.ts";
import { listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { pollJobQueue } from "#lib/jobs/poll.ts";
import { startJob } from "#lib/scheduler/job-changes.ts";
import { startRun } from "#lib/scheduler/runner.ts";
import { forgottenPasswordHandler, signupHandler } from "#lib/workers/mail/send.ts";
import { manifest } from "#src/manifest.ts";
import { openServer, type Server } from "#src/server.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { createConformanceCheck } from "#test/support/conformance.ts";
import { type TestDatabase } from "#test/support/database.ts";
import { PASSWORD, PASSWORD_HASH, type TestUser } from "#test/support/users.ts";
import { retryWhileOverloaded } from "#test/support/retry-overload.ts";
import { type MailSender, openMailSender } from "#test/support/mail-sender.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

type Fields = Readonly<Record<string, string>>;

export interface MailLinkFlows {
  readonly scene: Scene;
  readonly app: App;
  readonly db: TestDatabase;
  readonly server: Server;
  readonly postman: MailSender;
  readonly passwords: FakePasswords;
  /** Sends a request as it is, with this client IP address. */
  send(path: string, init?: RequestInit, address?: string): Promise<ClientResponse>;
  post(path: string, body: unknown, headers?: Fields, address?: string): Promise<ClientResponse>;
  /** Runs the queued jobs for forgotten passwords and sign-ups. Returns the number of these jobs. */
  work(): Promise<number>;
  /** Returns a token for this purpose, like the token in an email's link. */
  link(purpose: LinkPurpose, person: TestUser): Promise<string>;
  /** Whether a user can sign in with this email address and password. */
  opens(email: string, password: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openMailLinkFlows(env: Fields = {}): Promise<MailLinkFlows> {
  const scene = await openScene({ env });
  const passwords = createFakePasswords(), app = { ...scene.app, passwords }, { db } = scene;
  const server = openServer(app, manifest, { isSchedulerReady: () => true });
  const postman = await openMailSender(app), conform = createConformanceCheck();
  const holder = createId("rep");
  await db.rows.insertInto("replicas").values({ id: holder, release: "test" }).execute();

  const send: MailLinkFlows["send"] = async (path, init = {}, address = "192.0.2.1") => {
    const response = await retryWhileOverloaded(() =>
      server.request(new Request(new URL(path, app.config.publicUrl), init), {
        address,
        sent: Promise.resolve(),
      })
    );
    const text = await response.text(), { status, headers } = response;
    conform({ method: init.method ?? "GET", path, status, headers, text });
    const json = text && headers.get("content-type")?.startsWith("application/json");
    return { status, headers, body: json ? JSON.parse(text) : text };
  };

  return {
    scene,
    app,
    db,
    server,
    postman,
    passwords,
    send,
    post: (path, body, headers = {}, address) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }, address),
    async work() {
      const handlers = [forgottenPasswordHandler(), signupHandler()],
        known = listSupportedJobKinds(handlers.map(({ kind }) => kind));
      const tenure = { signal: new AbortController().signal, throwIfLapsed: () => {} };
      let count = 0;
      for (const candidate of (await pollJobQueue(db.rows, { supported: known, holder, limit: 1000 })).candidates) {
        const handler = handlers.find(({ kind }) => kind.kind === candidate.kind)!;
        const job = await startJob(db, handler, candidate, known, holder);
        if (!job) continue;
        await startRun({ db, log: app.log }, handler, job, tenure).ended;
        count++;
      }
      return count;
    },
    link: (purpose, { id }) =>
      db.transact(async (tx) => (await addOneTimeTokenSecret(tx, (await createOneTimeToken(tx, purpose, id)).id))!),
    async opens(email, password) {
      const [row] = await selectRows(db, "users", { email }, { columns: ["passwordHash"] });
      return await passwords.verify(password, row?.passwordHash ?? null, { caller: email }) === "right";
    },
    close: () => scene.close(),
  };
}

export interface FakePasswords extends PasswordHasher {
  /** Returns the number of passwords that were hashed or checked since the previous call of `count`. */
  count(): number;
}

/** Returns a password hasher that takes no time. It also accepts the password hash from users.ts. */
export function createFakePasswords(): FakePasswords {
  let runs = 0;
  const quick = (password: string) => `quick:${createHash("sha256").update(password).digest("hex")}`;
  return {
    hash: (password) => Promise.resolve((runs++, quick(password))),
    verify(password, hash) {
      runs++;
      const right = hash === PASSWORD_HASH ? password === PASSWORD : hash === quick(password);
      return Promise.resolve(right ? "right" : "wrong");
    },
    count() {
      const before = runs;
      runs = 0;
      return before;
    },
  };
}
