export const auditNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
