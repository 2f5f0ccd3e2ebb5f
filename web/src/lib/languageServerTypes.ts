// The two lists that graphql-language-service reads of vscode-languageserver-types, in whose place this file stands:
// the whole package cannot be shaken, and would take 8 kB of the page.
export const InsertTextMode = { asIs: 1, adjustIndentation: 2 } as const;
export const InsertTextFormat = { PlainText: 1, Snippet: 2 } as const;
