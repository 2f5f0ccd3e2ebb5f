// The schema of the server in an editor: grammar, completion, and examples from descriptions. The server says what is
// wrong with an operation: the rules of graphql-js would make the page larger than pages may be.
import { autocompletion } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { completion, graphqlLanguageSupport, stateExtensions, updateSchema } from "cm6-graphql";
import { buildClientSchema, getIntrospectionQuery, parse, print, type GraphQLSchema } from "graphql";
import { ask } from "./api";

/** A root field, with what its description says. */
export type Example = { name: string; about: string; kind: "query" | "mutation" | "subscription"; text: string };

export const graphqlLanguage: Extension = [graphqlLanguageSupport(), completion, stateExtensions(), autocompletion()];

/** @throws ApiError the server has introspection switched off */
export async function loadSchema(): Promise<GraphQLSchema> {
  return buildClientSchema(await ask(getIntrospectionQuery({ descriptions: true })));
}

export const tellSchema = (view: EditorView, schema: GraphQLSchema): void => updateSchema(view, schema);

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
