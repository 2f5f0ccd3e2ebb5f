import{a as e}from"./CvD8QspG.js";function t({selection:t,trace:n}){if(!t)return``;let r=n.findLast(e=>e.step===`select`),i=r?` of ${r.candidatesIn} candidates`:``,a=Math.abs(t.objective)||1;return`${t.proven?`proven best${i}`:`within ${(100*t.gap/a).toPrecision(2)} % of the best choice${i}`}, in ${e(t.ms)}`}var n=`query Search($input: SearchInput!) {
  search(input: $input) {
    hits {
      rank
      score
      passage
      highlights { start end kind }
      sections { path }
      relations { subject type object quote }
      outsideFilter
      chunk { id kind startPage endPage figure }
      paper { id title year editorialStatus editorialDate authors { name } chunks(first: 1) { totalCount } }
      retrievers { retriever rank score query }
      selection { marginal nearest nearestSimilarity rankBefore }
      explanation { whyNotHigher rankHistory { step rank } via { label name nodeId } mergedChunkIds }
    }
    pipeline { name }
    warnings
    queries { text origin }
    trace { step ms candidatesIn candidatesOut notes cypher { file ms records } }
    filter { filter matchSummary unknown }
    selection { k alpha gap proven certifiedGain objective lowerBound backend ms meanRelevance meanPairSimilarity }
  }
}
`;export{t as n,n as t};