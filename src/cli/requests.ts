export const requestsNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
