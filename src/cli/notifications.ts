export const notificationsNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
