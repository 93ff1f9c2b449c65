/** CSS for the pages about a spoke. */
export const spokeStyle: string = `
.history > li { grid-template-columns: minmax(9rem, 1fr) minmax(0, 2fr) auto; }
.history > li > .small { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; }
#about .facts { grid-template-columns: 1fr; gap: var(--s3); }
#about .facts > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: var(--s3); align-items: baseline; }
#about .facts dd { font-size: var(--small); }
.drift { padding-inline-start: 1.1rem; display: grid; gap: var(--s2); overflow-wrap: anywhere; }
.drift ul { padding-inline-start: 1.1rem; }
@media (max-width: 44rem) { .history > li { grid-template-columns: minmax(0, 1fr) auto; } .history > li > .small:empty { display: none; } }
`;
