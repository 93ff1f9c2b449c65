/** The origin of a change, as recorded in the audit log: who requested it, and from where. */
export interface Requester {
  readonly userId: string;
  readonly email: string;
  readonly ip: string;
  readonly userAgent: string;
  /** The first, readable part of the API token; null if no token was used. */
  readonly tokenPrefix: string | null;
}

/** The requester for changes that the service makes on its own. */
export const SYSTEM_REQUESTER: Requester = {
  userId: "system",
  email: "system",
  ip: "",
  userAgent: "wheelwright",
  tokenPrefix: null,
};
