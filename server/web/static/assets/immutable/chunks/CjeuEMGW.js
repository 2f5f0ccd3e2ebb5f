import{i as e}from"./Xnm8lLLz.js";var t=`query ExportPapers($ids: [ID!]!, $format: ExportFormat!, $style: String! = "apa") {
  exportPapers(ids: $ids, format: $format, style: $style) {
    files { name text }
  }
}
`,n=`query CitationStyles {
  server { citationStyles }
}
`,r={BIBTEX:`BibTeX`,RIS:`RIS`,CSL_JSON:`CSL-JSON`},i=async()=>(await e(n)).server.citationStyles;async function a(n,i){let a=i in r?{format:i}:{format:`TEXT`,style:i};return(await e(t,{ids:n,...a})).exportPapers.files[0]}export{i as n,a as r,r as t};