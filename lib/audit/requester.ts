/** The origin of a change, as stored in the audit log. */
export interface Requester {
  readonly userId: string;
  readonly email: string;
  readonly ip: string;
  readonly userAgent: string;
  /** The readable prefix of the API token, if one was used. */
  readonly tokenPrefix: string | null;
}

/** The requester of changes that the service makes itself. */
export const SYSTEM_REQUESTER: Requester = {
  userId: "system",
  email: "system",
  ip: "",
  userAgent: "wheelwright",
  tokenPrefix: null,
};
