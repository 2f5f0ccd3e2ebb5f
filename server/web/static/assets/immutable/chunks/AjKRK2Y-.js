import{i as e}from"./DKY7ssDv.js";var t=`query ExportPapers($ids: [ID!]!, $format: ExportFormat!, $style: String! = "apa", $notes: Boolean! = false) {
  exportPapers(ids: $ids, format: $format, style: $style, notes: $notes) {
    files { name text }
  }
}
`,n=`query CitationStyles {
  server { citationStyles }
}
`,r=1e3,i={BIBTEX:`BibTeX`,RIS:`RIS`,CSL_JSON:`CSL-JSON`},a=async()=>(await e(n)).server.citationStyles;async function o(n,r,a=!1){let o=r in i?{format:r}:{format:`TEXT`,style:r};return(await e(t,{ids:n,notes:a,...o})).exportPapers.files[0]}export{o as i,r as n,a as r,i as t};