/** Describes the API fields for signing in from a terminal with the browser. */
import type { GlossaryEntriesByField } from "#lib/reference/glossary/entry.ts";

const TOKEN_NAME = "wheelwright on ada@laptop";
const SECRET = "5tQ0cX6mRkq1yZbn8s3vWd7uHfLgJpE2aTiOoN4xYzA", SIGN_IN = "tsi_06fj2c4v7tq0w1x9n3m8k5r2dg";

export const TERMINAL_FIELD_ENTRIES: GlossaryEntriesByField = {
  challenge: ["The PKCE challenge: the SHA-256 of the verifier, in base64url", SECRET],
  port: ["The port on 127.0.0.1 where the terminal waits for the code", 50123],
  verifier: ["The PKCE verifier, a random text that only the terminal knows", SECRET],
  "NewTerminalCode.name | NewDeviceSignIn.name | PendingDeviceSignIn.name": ["The name of the token", TOKEN_NAME],
  "NewTerminalCode.expiresAt | DeviceDecision.expiresAt": [
    "When the token will expire. If this field is absent, the token never expires",
    "2027-05-31T00:00:00.000Z",
  ],
  "NewTerminalCode.federationIds | DeviceDecision.federationIds": [
    "Limits the token to 1 to 100 hubs, by ID or slug",
    ["north"],
  ],
  "TerminalCode.code | TerminalRedemption.code": ["The code for the terminal", SECRET],
  deviceCode: ["The secret with which the terminal gets its token", SECRET],
  userCode: ["The code that the user types into the page", "WDJB-MJHT"],
  verificationUri: ["The page where the user types the code", "https://wheelwright.example/device"],
  expiresIn: ["The number of seconds until the code expires", 600],
  interval: ["The least number of seconds between two requests for the token", 5],
  "PendingDeviceSignIn.id | DeviceDecision.id": ["The ID of the sign-in", SIGN_IN],
  "PendingDeviceSignIn.ip": ["The address from which the sign-in was started", "203.0.113.7"],
  "PendingDeviceSignIn.userAgent": ["The User-Agent of the program that started it", "wheelwright/0.2.0"],
  approve: ["Whether the terminal gets a token", true],
  approved: ["Whether the terminal gets a token", true],
};
