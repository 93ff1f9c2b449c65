/** The default RELEASE_ID, which the tests and deploy/kubernetes use. */
export const RELEASE = "main";
