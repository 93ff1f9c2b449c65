/** What stands in paths and queries. */
import { type Entries, EVENT, HUB, OPERATION, SPOKE, USER } from "#lib/surface/docs/glossary/entry.ts";

export const PARAMETERS: Entries = {
  "path.federationId": ["The hub's id or its slug", "north"],
  "path.spokeId": ["The spoke's id, or its domain while it lives", SPOKE],
  "path.operationId": ["The operation's id", OPERATION],
  "path.sessionId": ["The session's id", "ses_06fj2c1s8m4q7x2w9e5d3n6rzy"],
  "path.tokenId": ["The token's id", "tok_06fj2c1s8m4q7x2w9e5d3n6rzy"],
  "path.userId": ["The user's id", USER],
  "path.requestId": ["The request's id", "frq_06fj2d0k3v8n5t1y7q4w9z2xbm"],
  "path.notificationId": ["The notification's id, which is its audit event's", EVENT],
  "query.limit": ["How many at most"],
  "query.before": [
    "Only what is older than this: give the oldest entry's timestamp for the next page",
    "2026-11-21T12:00:00.000Z",
  ],
  "query.includeRemoved": ["Whether removed ones are shown too; operators only", "true"],
  "query.abandon": [
    "Gives up what is being removed, and whose removal has failed, without the cluster's word; operators only",
  ],
  "query.dryRun": ["Shows what would be done, and does nothing"],
  "query.since": ["Number of the last event received: goes on after it", "4"],
  "query.unreadOnly": ["Only what you have not read"],
  "query.state": ["Only those in this state"],
  "query.slug": ["Only those of this slug", "north"],
  "query.health": ["Only those of this health", "degraded"],
  "query.q": ["Only those in whose names, domain or address this stands, in whatever case", "school"],
  "query.role": ["Only users of this role", "hub_admin"],
  "query.email": ["Only addresses that are this or begin so", "ada@"],
  "query.token": ["What the mailed link holds", "x4Kq9TzV…"],
  "query.kind": ["Only events of this kind", "spoke_provisioned"],
  "query.actor": ['Only what this user did: an id, an e-mail address, "system" or "anonymous"', USER],
  "query.objectType": ["Only events about this kind of object", "spoke"],
  "query.objectId": ["Only events about this object", SPOKE],
  "query.federationId": ["Only events of this hub, by its id or slug", HUB],
  "query.size": ["The size asked about; the usual one when absent", "medium"],
};
