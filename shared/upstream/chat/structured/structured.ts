import { MalformedAnswerError } from '../../errors.ts';
import { validateJson } from './schema.ts';
import type { ChatOptions, ChatRequest, Completion, JsonSchema } from '../../chat-types.ts';

/** A request for a JSON value. */
export type StructuredRequest = Omit<ChatRequest, 'responseFormat' | 'tools' | 'toolChoice'> & {
  /** A name for the schema: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: JsonSchema;
};

export type StructuredOptions = ChatOptions & {
  /** Called with each completion, also if a later request fails: each of them costs. */
  readonly onCompletion?: ((completion: Completion) => void) | undefined;
};

export type StructuredResult = {
  /** The value; it fits the schema. */
  readonly value: unknown;
  /** Every completion requested for it, in order: two when the first had to be repaired. Each of them costs. */
  readonly completions: readonly Completion[];
};

/**
 * Requests a JSON value that fits a schema, and validates it. An answer that does not fit is sent back once with its
 * errors. Rejects with MalformedAnswerError: code `schema` when the second answer does not fit either, code `length`
 * when the answer was cut at `maxTokens` (repeating would not help). `partialText` is the answer.
 */
export async function requestStructured(
  { name, schema, ...rest }: StructuredRequest,
  complete: (request: ChatRequest) => Promise<Completion>,
): Promise<StructuredResult> {
  const request: ChatRequest = {
    ...rest,
    responseFormat: { type: 'json_schema', name, schema, strict: true },
  };
  const first = await complete(request);
  const firstResult = validateJson(first.text, schema);
  if (firstResult.ok) return { value: firstResult.value, completions: [first] };
  throwIfTruncated(first);

  const correction = `That does not fit the schema:\n${firstResult.errors.join('\n')}\nAnswer again with the corrected JSON alone.`;
  const messages: ChatRequest['messages'] = [
    ...request.messages,
    { role: 'assistant', content: first.text },
    { role: 'user', content: correction },
  ];
  const second = await complete({ ...request, messages });
  const secondResult = validateJson(second.text, schema);
  if (secondResult.ok) return { value: secondResult.value, completions: [first, second] };
  throwIfTruncated(second);
  throw new MalformedAnswerError(`The answer does not fit the schema: ${secondResult.errors.join('; ')}`, {
    code: 'schema',
    requestId: second.requestId,
    partialText: second.text,
  });
}

function throwIfTruncated({ finish, text, requestId }: Completion): void {
  if (finish !== 'length') return;
  throw new MalformedAnswerError('The answer was cut before its JSON was complete.', {
    code: 'length',
    requestId,
    partialText: text,
  });
}
