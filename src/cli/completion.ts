export const completionNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
