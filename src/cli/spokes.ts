export const spokesNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
