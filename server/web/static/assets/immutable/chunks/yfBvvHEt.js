import{K as e,ct as t,lt as n,st as r}from"./BCgv7Agt.js";import{l as i,n as a}from"./DKY7ssDv.js";var o=`subscription Answer($input: AskInput!) {
  answer(input: $input) {
    __typename
    ... on SourcesEvent { sources { ...Source } }
    ... on DeltaEvent { seq text }
    ... on CitationEvent { seq citation { ...Citation } }
    ... on DoneEvent {
      result {
        __typename
        ... on Answered { id question answerability warnings dropped { text fault detail } }
        ... on Answer { text grounded llmGenerated model namedQuery { query } citations { ...Citation } }
        ... on Refusal { reason message nearestEvidence { ...Source } }
      }
    }
  }
}

fragment Source on AnswerSource {
  number
  text
  instructions
  hit { sectionPath chunk { id text startPage } paper { id title year } }
}

fragment Citation on AnswerCitation {
  number quote quoted start end answerStart answerEnd claimStart claimEnd sectionPath page chunkId paperId paperTitle paperStatus
}
`,s=class{key;input;before;#e=n(r([]));get sources(){return e(this.#e)}set sources(e){t(this.#e,e,!0)}#t=n(``);get text(){return e(this.#t)}set text(e){t(this.#t,e,!0)}#n=n(r([]));get citations(){return e(this.#n)}set citations(e){t(this.#n,e,!0)}#r=n(null);get result(){return e(this.#r)}set result(e){t(this.#r,e,!0)}#i=n(null);get error(){return e(this.#i)}set error(e){t(this.#i,e,!0)}#a=n(null);get firstMs(){return e(this.#a)}set firstMs(e){t(this.#a,e,!0)}#o=n(null);get tookMs(){return e(this.#o)}set tookMs(e){t(this.#o,e,!0)}stopped=new AbortController;constructor(e,t,n){this.key=e,this.input=t,this.before=n}get isDone(){return this.result!==null||this.error!==null}get spoken(){return this.result?.text??this.result?.message??``}async run(){this.stopped=new AbortController,[this.sources,this.text,this.citations,this.result,this.error]=[[],``,[],null,null];let e=performance.now(),t=this.before.flatMap(e=>[{role:`USER`,text:e.input.question},{role:`ASSISTANT`,text:e.spoken}]);try{let n=i(o,{input:{store:!0,...this.input,history:t}},this.stopped.signal);for await(let{answer:t}of n)t.__typename===`SourcesEvent`?this.sources=t.sources:t.__typename===`DeltaEvent`?(this.firstMs??=performance.now()-e,this.text+=t.text):t.__typename===`CitationEvent`?this.citations=[...this.citations,t.citation]:this.finish(t.result);if(!this.result)throw new a(`OFFLINE`,`the answer broke off`)}catch(e){this.stopped.signal.aborted||(this.error=e)}this.tookMs=performance.now()-e}finish(e){this.result=e,e.text!==void 0&&(this.text=e.text),e.citations&&(this.citations=e.citations)}stop(){this.stopped.abort()}};export{o as n,s as t};