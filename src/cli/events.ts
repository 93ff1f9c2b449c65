export const eventsNoun: any = null;
export const costNoun: any = null, changelogNoun: any = null;
