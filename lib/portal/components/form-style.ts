/** CSS for forms in the portal and on pages that open from links in emails. */
export const formStyle: string = `
form.stack { max-width: 34rem; }
.field { display: grid; gap: var(--s1); min-width: 0; }
.field label { display: block; }
.field .hint { font-weight: 400; }
.field .problem { font-size: var(--small); font-weight: 600; color: var(--bad); }
.field.tick { grid-template-columns: auto minmax(0, 1fr); gap: var(--s1) var(--s2); align-items: center; }
.field.tick .hint { grid-column: 2; }
details > .rest { display: grid; gap: var(--s4); margin-top: var(--s4); }
.form-actions { display: flex; flex-wrap: wrap; gap: var(--s3); align-items: center; }
`;
