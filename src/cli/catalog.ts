export const catalogNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
