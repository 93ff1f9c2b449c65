/** The RELEASE_ID of the tests and of deploy/kubernetes: the default. */
export const RELEASE = "main";
