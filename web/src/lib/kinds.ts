// Colours of the types of nodes, in both themes.
export const KINDS: Record<string, string> = {
  Paper: "light-dark(#1f5f86, #7dbde3)",
  Author: "light-dark(#22694a, #7fcaa5)",
  Entity: "light-dark(#8a4b08, #e8b06a)",
  Cluster: "light-dark(#6b3fa0, #c3a3ec)",
  Question: "light-dark(#a3352b, #f0968d)",
  Chunk: "light-dark(#585f68, #a3a9b1)",
  Section: "light-dark(#4a5a2a, #b9cf8e)",
  Reference: "light-dark(#7a2d5c, #e79ac6)",
};

/** Tells the colours that a legend has, now and after each change of the theme, until the function that it returns is
 *  called: a canvas knows no light-dark(). */
export function readColours(legend: () => HTMLElement | undefined, tell: (colours: Record<string, string>) => void): () => void {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const read = () => {
    const swatches = [...(legend()?.querySelectorAll<HTMLElement>("[data-label]") ?? [])];
    tell(Object.fromEntries(swatches.map((one) => [one.dataset.label!, getComputedStyle(one).backgroundColor])));
  };
  read();
  const observer = new MutationObserver(read);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  scheme.addEventListener("change", read);
  return () => (observer.disconnect(), scheme.removeEventListener("change", read));
}
