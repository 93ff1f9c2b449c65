export const usersNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
