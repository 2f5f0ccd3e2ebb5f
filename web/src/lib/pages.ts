// The pages that the navigation and the palette lead to: path and name.
type Pages = [string, string][];
export const MAIN_PAGES: Pages = [["/search", "Search"], ["/ask", "Ask"], ["/papers", "Papers"], ["/add", "Add"]];

/** Pages behind "More", in groups. */
export const GROUPS: Record<string, Pages> = {
  Library: [["/notes", "Notes"], ["/collections", "Collections"], ["/inbox", "Inbox"], ["/review", "Review"], ["/zotero", "Zotero"], ["/jobs", "Jobs"]],
  Study: [["/tables", "Tables"], ["/screening", "Screening"], ["/draft", "Check a draft"], ["/graph", "Graph"], ["/map", "Map"]],
  Developers: [["/compare", "Compare"], ["/cypher", "Cypher"], ["/graphql", "GraphQL"], ["/api", "REST API"], ["/keys", "API keys"]],
};
export const MORE_PAGES: Pages = Object.values(GROUPS).flat();
