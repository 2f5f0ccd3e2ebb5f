import{i as e}from"./DKY7ssDv.js";var t=`query ExportPapers($ids: [ID!]!, $format: ExportFormat!, $style: String! = "apa") {
  exportPapers(ids: $ids, format: $format, style: $style) {
    files { name text }
  }
}
`,n=`query CitationStyles {
  server { citationStyles }
}
`,r=1e3,i={BIBTEX:`BibTeX`,RIS:`RIS`,CSL_JSON:`CSL-JSON`},a=async()=>(await e(n)).server.citationStyles;async function o(n,r){let a=r in i?{format:r}:{format:`TEXT`,style:r};return(await e(t,{ids:n,...a})).exportPapers.files[0]}export{o as i,r as n,a as r,i as t};