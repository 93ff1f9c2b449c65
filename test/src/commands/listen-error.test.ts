import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listenError } from "#src/commands/listen-error.ts";

const test = suite("cannotListen");

const TABLE: readonly (readonly [code: string, status: number, said: RegExp])[] = [
  ["EADDRINUSE", 69, /: the port is in use, perhaps by another Wheelwright; stop that, or set PORT to another one$/],
  ["EACCES", 77, /: this user may not listen on that port; set PORT to one above 1023, /],
  ["EADDRNOTAVAIL", 78, /: this machine has no such address; set HOST to one that it has, /],
  ["EINVAL", 78, /: this machine has no such address; set HOST to one that it has, /],
  ["ENOTFOUND", 78, /: host name not found; set HOST to an address of this machine, /],
  ["ENOBUFS", 69, /: as the system says \(see HOST and PORT\)$/],
];

for (const [code, status, said] of TABLE) {
  test(`tells what ${code} means, and what to set`, () => {
    const cause = Object.assign(new Error("as the system says"), { code });
    const error = listenError({ host: "192.0.2.7", port: 80 }, cause);
    assert.match(error.message, /^Cannot listen on 192\.0\.2\.7:80: /);
    assert.match(error.message, said);
    assert.equal([error.status, error.cause], [status, cause]);
  });
}

test("names the variable that is to be set", () => {
  const cause = Object.assign(new Error("as the system says"), { code: "EADDRINUSE" });
  const { message } = listenError({ host: "192.0.2.7", port: 9464 }, cause, "METRICS_PORT");
  assert.match(message, /^Cannot listen on 192\.0\.2\.7:9464: .*set METRICS_PORT to another one$/);
});

test.run();
