export const hubsNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
