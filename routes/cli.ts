import { POST as createCode } from "#routes/api/auth/terminal-codes.ts";
import { GET as getHubs } from "#routes/api/federations/index.ts";
import {
  formAction,
  openFormSchema,
  optionalQuerySchema,
  type PageContext,
  portalPage,
} from "#lib/portal/page/page.ts";
import type { RefusedSubmission } from "#lib/portal/components/forms.ts";
import { findHubsToLimit, parseHubLimit, parseTokenExpiry, TOKEN_FIELDS } from "#lib/portal/people/token-fields.ts";
import { returnToTerminalView, TERMINAL_QUERY, type TerminalQuery, terminalView } from "#lib/portal/people/terminal.ts";

export const GET = portalPage({
  summary: "The page that wheelwright login opens, to approve a sign-in from a terminal on this machine",
  query: optionalQuerySchema(...TERMINAL_QUERY),
  show: (call) => show(call, { scope: call.query.scope ?? "cli" }),
});

export const POST = formAction({
  summary: "Approve or deny a sign-in from a terminal on this machine",
  query: optionalQuerySchema(...TERMINAL_QUERY),
  body: openFormSchema(...TOKEN_FIELDS, "deny"),
  async submit(call) {
    const { callApi, now, body, query: { challenge = "", port, name = "" } } = call, { scope } = body;
    if (body.deny) return returnToTerminalView(call.query, null);
    if (body.search) return await show(call, body);
    const token = { name, scope, expiresAt: parseTokenExpiry(body, await now()), federationIds: parseHubLimit(body) };
    const { code } = await callApi(createCode, { query: {}, body: { challenge, port: Number(port), ...token } });
    return returnToTerminalView(call.query, code);
  },
  onRefusal: (call, submission) => show(call, submission.values, submission),
});

type Call = Pick<PageContext<TerminalQuery, unknown>, "callApi" | "me" | "query">;

async function show(
  { callApi, me, query }: Call,
  values: Readonly<Record<string, string>>,
  submission?: RefusedSubmission,
) {
  const hubs = await findHubsToLimit((question) => callApi(getHubs, { query: question }), values.q);
  return terminalView(query, { hubs, email: me.email, values, submission });
}
