// GraphQL in an editor: grammar, completion by the schema of the server, and examples from its descriptions. The server
// says what is wrong with an operation: the rules of graphql-js would make the page larger than pages may be.
import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { buildClientSchema, getIntrospectionQuery, parse, print, type GraphQLSchema } from "graphql";
import { getAutocompleteSuggestions, onlineParser, Position } from "graphql-language-service";
import { ask } from "./api";

/** A root field, with what its description says. */
export type Example = { name: string; about: string; kind: "query" | "mutation" | "subscription"; text: string };

/** Kinds of tokens, of which CodeMirror knows fewer than the parser has. */
const KINDS: Record<string, string> = { keyword: "keyword", def: "keyword", atom: "atom", builtin: "atom", variable: "atom", string: "string", number: "number", comment: "comment" };

const parser = onlineParser();
const grammar = StreamLanguage.define<ReturnType<typeof parser.startState>>({
  startState: () => parser.startState(),
  token: (stream, state) => KINDS[parser.token(stream as unknown as Parameters<typeof parser.token>[0], state)] ?? null,
  languageData: { commentTokens: { line: "#" } },
});

/** Colours, and completion by a schema that may come later. */
export function graphqlLanguage(schema: () => GraphQLSchema | null): Extension {
  function complete(context: CompletionContext): CompletionResult | null {
    const [known, word, line] = [schema(), context.matchBefore(/\w+/), context.state.doc.lineAt(context.pos)];
    if (!known || (!word && !context.explicit && !context.matchBefore(/[@$(]/))) return null;
    const place = new Position(line.number - 1, context.pos - line.from);
    const found = getAutocompleteSuggestions(known, context.state.doc.toString(), place);
    const options = found.map(({ label, detail, documentation }) => ({ label, detail, info: documentation ?? undefined }));
    return options.length ? { from: word?.from ?? context.pos, options, validFor: /^\w*$/ } : null;
  }
  return [grammar, autocompletion({ override: [complete] })];
}

/** @throws ApiError the server has introspection switched off */
export async function loadSchema(): Promise<GraphQLSchema> {
  return buildClientSchema(await ask(getIntrospectionQuery({ descriptions: true })));
}

/** The root fields of a schema; the text of a field without an example is empty. */
export function examplesOf(schema: GraphQLSchema): Example[] {
  const roots = [["query", schema.getQueryType()], ["mutation", schema.getMutationType()], ["subscription", schema.getSubscriptionType()]] as const;
  return roots.flatMap(([kind, root]) =>
    Object.values(root?.getFields() ?? {}).map(({ name, description }) => {
      const [about = "", example = ""] = (description ?? "").split(/\s*Example: /);
      return { name, about, kind, text: pretty(example.replace(/^`|`$/g, "")) };
    }),
  );
}

/** A query with line breaks; one that cannot be read stays as it is. */
export function pretty(text: string): string {
  try {
    return print(parse(text));
  } catch {
    return text;
  }
}

/** Names of the operations of a text, and whether one of them is a subscription; none while it cannot be read. */
export function operationsOf(text: string): { name: string; isSubscription: boolean }[] {
  try {
    return parse(text).definitions.flatMap((one) => (one.kind === "OperationDefinition" ? [{ name: one.name?.value ?? "", isSubscription: one.operation === "subscription" }] : []));
  } catch {
    return [];
  }
}
