// Papers that a reader finds relevant to a query, kept in this browser, in the form that experiments read.

const STORED = "papergraph-judgements";

/** Ids of relevant papers by query, by collection. */
type Judged = Record<string, Record<string, string[]>>;

function stored(): Judged {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "{}") as Judged;
  } catch {
    return {}; // storage is switched off, or something else wrote there
  }
}

class Judgements {
  private all = $state<Judged>(stored());

  isRelevant(collection: string, query: string, paper: string): boolean {
    return this.all[collection]?.[query]?.includes(paper) ?? false;
  }

  toggle(collection: string, query: string, paper: string): void {
    const queries = { ...this.all[collection] };
    const papers = queries[query] ?? [];
    queries[query] = papers.includes(paper) ? papers.filter((one) => one !== paper) : [...papers, paper];
    if (!queries[query].length) delete queries[query];
    this.keep({ ...this.all, [collection]: queries });
  }

  forget(collection: string): void {
    const { [collection]: _, ...others } = this.all;
    this.keep(others);
  }

  count(collection: string): number {
    return Object.keys(this.all[collection] ?? {}).length;
  }

  /** The questions of a collection as lines of JSON, as `papergraph experiment` reads them. */
  lines(collection: string): string {
    const queries = Object.entries(this.all[collection] ?? {});
    return queries.map(([question, papers]) => JSON.stringify({ question, papers }) + "\n").join("");
  }

  private keep(all: Judged): void {
    this.all = all;
    try {
      localStorage.setItem(STORED, JSON.stringify(all));
    } catch {
      // storage is full or off: the judgements last as long as the page
    }
  }
}

export const judgements = new Judgements();
