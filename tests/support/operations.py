"""A search and an answer of GraphQL with all that they give."""

SEARCH = """
query ($input: SearchInput!, $explain: Boolean! = false, $save: Boolean! = false) {
  search(input: $input) {
    hits {
      rank score sectionPath passage outsideFilter
      selection { marginal redundancy nearest nearestSimilarity rankBefore }
      retrievers { retriever rank score query via @include(if: $explain) { label name } }
      explanation @include(if: $explain) { whyNotHigher mergedChunkIds rankHistory { step rank } via { label name } }
      paper { id key title year authors { name } sources }
      chunk { id text startChar endChar startPage endPage }
    }
    filter { filter matchSummary unknown }
    warnings
    selection { k objective lowerBound gap certifiedGain proven backend ms fallback }
    queries @include(if: $explain) { text origin }
    trace @include(if: $explain) {
      step options ms candidatesIn candidatesOut notes cypher { file parameters ms records }
    }
    run @include(if: $save)
  }
}
"""
ANSWER = """
subscription ($input: AskInput!) {
  answer(input: $input) {
    __typename
    ... on SourcesEvent { sources { ...Source } }
    ... on DeltaEvent { text }
    ... on CitationEvent { citation { ...Cited } }
    ... on DoneEvent {
      result {
        __typename
        ... on Answered {
          id question warnings answerability
          dropped { text fault detail }
          usage { requests cached inputTokens outputTokens estimatedTokens cost }
        }
        ... on Answer {
          text grounded llmGenerated model
          namedQuery { query parameters columns rows }
          citations { ...Cited }
          sources { ...Source }
        }
        ... on Refusal { reason message nearestEvidence { ...Source } }
      }
    }
  }
}
fragment Source on AnswerSource {
  number text instructions
  hit {
    score sectionPath
    paper { id key title year authors { name } sources }
    chunk { id startChar endChar startPage }
  }
}
fragment Cited on AnswerCitation {
  number quote quoted start end answerStart answerEnd claimStart claimEnd sectionPath page url file
  chunkId paperId paperTitle paperStatus
}
"""
