// The pages that the navigation and the palette lead to: path and name.
export const MAIN_PAGES: [string, string][] = [["/search", "Search"], ["/ask", "Ask"], ["/papers", "Papers"], ["/add", "Add"]];

/** Pages behind "More". */
export const MORE_PAGES: [string, string][] = [["/tables", "Tables"], ["/screening", "Screening"], ["/draft", "Check a draft"], ["/compare", "Compare"], ["/graph", "Graph"], ["/map", "Map"], ["/cypher", "Cypher"], ["/graphql", "GraphQL"], ["/api", "REST API"], ["/jobs", "Jobs"], ["/collections", "Collections"], ["/review", "Review"], ["/inbox", "Inbox"], ["/zotero", "Zotero"], ["/keys", "API keys"]];
