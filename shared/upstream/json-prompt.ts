import type { Message, ResponseFormat } from './chat-types.ts';

/** Adds an instruction to answer in JSON, for models and API shapes without schema support. The caller validates. */
export function addJsonInstruction(
  messages: readonly Message[],
  format: Exclude<ResponseFormat, { type: 'text' }>,
): Message[] {
  const schema = format.type === 'json_schema' ? format.schema : { type: 'object' };
  const instruction = `Answer with JSON alone, without a code fence, that fits this JSON schema: ${JSON.stringify(schema)}`;
  const [first, ...rest] = messages;
  if (first?.role === 'system' && typeof first.content === 'string') {
    return [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...rest];
  }
  return [{ role: 'system', content: instruction }, ...messages];
}
