import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createListenError } from "#src/commands/listen-error.ts";

const test = suite("createListenError");

const TABLE: readonly (readonly [code: string, status: number, said: RegExp])[] = [
  ["EADDRINUSE", 69, /: the port is in use. Stop the other program, or set PORT to another port$/],
  ["EACCES", 77, /: this user may not use that port\. Set PORT to a port above 1023, /],
  ["EADDRNOTAVAIL", 78, /: this machine does not have that address\. Set HOST to an address of this machine, /],
  ["EINVAL", 78, /: this machine does not have that address\. Set HOST to an address of this machine, /],
  ["ENOTFOUND", 78, /: host name not found\. Set HOST to an address of this machine, /],
  ["ENOBUFS", 69, /: as the system says \(see HOST and PORT\)$/],
];

for (const [code, status, said] of TABLE) {
  test(`explains ${code} and names the variable to set`, () => {
    const cause = Object.assign(new Error("as the system says"), { code });
    const error = createListenError({ host: "192.0.2.7", port: 80 }, cause);
    assert.match(error.message, /^Cannot listen on 192\.0\.2\.7:80: /);
    assert.match(error.message, said);
    assert.equal([error.status, error.cause], [status, cause]);
  });
}

test("names the variable to set", () => {
  const cause = Object.assign(new Error("as the system says"), { code: "EADDRINUSE" });
  const { message } = createListenError({ host: "192.0.2.7", port: 9464 }, cause, "METRICS_PORT");
  assert.match(message, /^Cannot listen on 192\.0\.2\.7:9464: .*set METRICS_PORT to another port$/);
});

test.run();
