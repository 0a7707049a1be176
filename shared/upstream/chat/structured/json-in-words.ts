import type { Message, ResponseFormat } from '../types.ts';

/** Asks for JSON in words, of a model or a shape that cannot be held to a schema. What comes has to be validated. */
export function askInWords(
  messages: readonly Message[],
  { schema }: Extract<ResponseFormat, { type: 'json_schema' }>,
): Message[] {
  const words = `Answer with JSON alone, without a code fence, that fits this JSON schema: ${JSON.stringify(schema)}`;
  const [first, ...rest] = messages;
  if (first?.role === 'system' && typeof first.content === 'string') {
    return [{ role: 'system', content: `${first.content}\n\n${words}` }, ...rest];
  }
  return [{ role: 'system', content: words }, ...messages];
}
