export default {
  schema: "./schema.graphql",
  importExtension: ".js",
  documents: ["./src/codegen/operations.ts"],
  generates: { "./src/codegen/gql/": { preset: "client", config: { useTypeImports: true, enumsAsTypes: true } } },
};
