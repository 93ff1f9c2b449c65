import { publicAccess } from "#lib/domains/auth/access.ts";
import { startDeviceSignIn } from "#lib/domains/auth/terminal-sign-in.ts";
import { DeviceSignInBody, DeviceSignInView } from "#lib/domains/auth/terminal-views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { createdReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Start a sign-in from a terminal without a browser. A user then types userCode at verificationUri",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many login attempts",
  body: DeviceSignInBody,
  reply: createdReply(DeviceSignInView, () => "/api/auth/device-sign-ins/redeem"),
  faults: ["portal_off"],
  handle: ({ app, ip, userAgent, body }) => startDeviceSignIn(app, { ip, userAgent }, body),
});
