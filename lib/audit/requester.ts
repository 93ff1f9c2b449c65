/** Who is responsible for a change, as the audit log keeps it: four strings that are always there. */
export interface Requester {
  readonly userId: string;
  readonly email: string;
  readonly ip: string;
  readonly userAgent: string;
  /** The readable prefix of the API token that was used, if one was. */
  readonly tokenPrefix: string | null;
}

/** Who is named where nobody asked: the service itself. */
export const SYSTEM: Requester = {
  userId: "system",
  email: "system",
  ip: "",
  userAgent: "wheelwright",
  tokenPrefix: null,
};
