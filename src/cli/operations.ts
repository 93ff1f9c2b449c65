export const operationsNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
