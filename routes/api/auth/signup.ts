import { publicAccess } from "#lib/domains/auth/access.ts";
import { signUp } from "#lib/domains/auth/signup.ts";
import { Acknowledgement, SignupBody } from "#lib/domains/auth/views.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { acceptedReply } from "#lib/http/reply.ts";

export const POST = endpoint({
  summary: "Create an account, if the setting SIGNUP is on. The response does not reveal whether the user exists",
  access: publicAccess,
  scope: "flow",
  rateLimitMessage: "too many requests",
  body: SignupBody,
  reply: acceptedReply(Acknowledgement),
  faults: ["signup_off", "busy"],
  async handle({ app, ip, userAgent, body }) {
    await signUp(app, { ip, userAgent }, body);
    const message = "An email with a link is on its way to this address, or was sent within the last hour; " +
      "the link proves that the address is yours";
    return { message };
  },
});
