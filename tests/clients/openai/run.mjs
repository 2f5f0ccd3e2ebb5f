// Answers by stock clients of OpenAI's interface: node run.mjs URL QUESTION. Prints a line of JSON for each way.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";

const [url, question] = process.argv.slice(2);
const model = "papergraph-default";
const messages = [{ role: "user", content: question }];
const baseURL = `${url}/v1`;
const client = new OpenAI({ baseURL, apiKey: "not-asked-for", maxRetries: 0 });

async function joined(pieces, textOf) {
  let text = "";
  for await (const piece of pieces) text += textOf(piece) ?? "";
  return text;
}

const streamed = async (of) => joined((await streamText({ model: of, prompt: question, maxRetries: 0 })).textStream, (piece) => piece);
const generated = async (of) => (await generateText({ model: of, prompt: question, maxRetries: 0 })).text;
const sdk = createOpenAI({ baseURL, apiKey: "not-asked-for" });
const compatible = createOpenAICompatible({ name: "papergraph", baseURL });
const delta = (part) => part.choices[0]?.delta.content;

const WAYS = {
  "openai chat": async () => (await client.chat.completions.create({ model, messages })).choices[0].message.content,
  "openai chat stream": async () => joined(await client.chat.completions.create({ model, messages, stream: true }), delta),
  "openai chat helper": async () => client.chat.completions.stream({ model, messages }).finalContent(),
  "openai responses": async () => (await client.responses.create({ model, input: question })).output_text,
  "openai responses stream": async () =>
    joined(await client.responses.create({ model, input: question, stream: true }), (event) => (event.type === "response.output_text.delta" ? event.delta : "")),
  "ai chat": () => generated(sdk.chat(model)),
  "ai chat stream": () => streamed(sdk.chat(model)),
  "ai responses": () => generated(sdk.responses(model)),
  "ai responses stream": () => streamed(sdk.responses(model)),
  "ai compatible": () => generated(compatible(model)),
  "ai compatible stream": () => streamed(compatible(model)),
};

for (const [name, ask] of Object.entries(WAYS)) {
  const told = await ask().then((text) => ({ text }), (error) => ({ error: String(error) }));
  console.log(JSON.stringify({ name, ...told }));
}
const refused = await client.embeddings.create({ model: "no-such-model", input: "x" }).then(() => "", (error) => `${error.status} ${error.message}`);
console.log(JSON.stringify({ name: "openai refusal", error: refused }));
