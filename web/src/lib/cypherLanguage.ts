// Cypher in an editor: its grammar, and completion from words that may come later.
import { autocompletion, type Completion, type CompletionContext } from "@codemirror/autocomplete";
import { StreamLanguage } from "@codemirror/language";
import { cypher } from "@codemirror/legacy-modes/mode/cypher";
import type { Extension } from "@codemirror/state";

/** Completes labels and types after a colon, properties after a full stop, and everything elsewhere. */
export function cypherLanguage(words: () => Completion[]): Extension {
  function complete(context: CompletionContext) {
    const word = context.matchBefore(/\w+/);
    const sign = context.matchBefore(/[:.]\w*/);
    if (!word && !sign && !context.explicit) return null;
    const before = sign?.text[0];
    const fits = ({ type }: Completion) => (before === ":" ? type === "class" || type === "type" : before === "." ? type === "property" : true);
    return { from: word?.from ?? context.pos, options: words().filter(fits), validFor: /^\w*$/ };
  }
  return [StreamLanguage.define(cypher), autocompletion({ override: [complete] })];
}
