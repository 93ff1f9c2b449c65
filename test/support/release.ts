/** The RELEASE_ID that the tests and deploy/kubernetes use, which is the default. */
export const RELEASE = "main";
